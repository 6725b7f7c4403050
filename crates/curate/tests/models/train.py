"""Trains models with the Python package `fasttext` and writes what it predicts: `train.py FOLDER`.

The texts are made up: words of random syllables, with other syllables in each language. For each model there is a file of the
model and a file NAME.json: a list of [text, [label, probability], ...].
"""

import json
import random
import sys
from pathlib import Path

import fasttext

SYLLABLES = {
    "deu_Latn": "sch ein ung ver ber gen lich ter häu fen und der",
    "fra_Latn": "que tion ment eau les oir ille aux une des été ça",
    "rus_Cyrl": "ов ать ени при про сти ный ого рас кий щую пере",
    "jpn_Jpan": "した この港 ます へ行く 灯台 から です 船が 海の もの",
    "eng_Latn": "the ing ough tion ness wh ea ly er and sh est",
}


def text(random_numbers, language, words):
    syllables = SYLLABLES[language].split()
    word = lambda: "".join(random_numbers.choices(syllables, k=random_numbers.randint(1, 3)))
    return " ".join(word() for _ in range(words))


def train(folder, name, texts=48, varieties=1, quantise=None, **settings):
    random_numbers = random.Random(7)
    lines = []
    for at, language in enumerate(SYLLABLES):
        for line in range(60 + 20 * at):
            variety = f"_{line % varieties}" if varieties > 1 else ""
            lines.append(f"__label__{language}{variety} {text(random_numbers, language, 12)}")
    random_numbers.shuffle(lines)
    training = folder / "train.txt"
    training.write_text("\n".join(lines) + "\n", encoding="utf-8")
    model = fasttext.train_supervised(str(training), thread=1, epoch=8, verbose=0, seed=3, **settings)
    if quantise is not None:
        model.quantize(input=str(training), **quantise)
    kind = "bin" if quantise is None else "ftz"
    model.save_model(str(folder / f"{name}.{kind}"))
    predict(folder, name, model, texts)


def predict(folder, name, model, count):
    random_numbers = random.Random(8)
    texts = ["", " ", "the", "\t the\u3000ing ", "__label__x the ing", "a\0b", "</s> the ing", "漢字 🙂 ç"]
    texts += [text(random_numbers, random_numbers.choice(list(SYLLABLES)), words) for words in range(1, 40)]
    mixed = [f"{text(random_numbers, 'deu_Latn', 4)} {text(random_numbers, 'rus_Cyrl', words)}" for words in range(9)]
    rows = []
    for line in (mixed + texts)[:count]:
        labels, probabilities = model.predict(line, k=5)
        rows.append([line, list(zip(labels, map(float, probabilities)))])
    (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")


def main():
    folder = Path(sys.argv[1])
    if sys.argv[2:] == ["tiny"]:
        train(folder, "tiny", dim=4, minn=2, maxn=3, bucket=300, minCount=40, loss="hs", texts=14)
        return
    ngrams = {"dim": 16, "minn": 2, "maxn": 4, "bucket": 4000}
    train(folder, "words", dim=10, loss="softmax")
    train(folder, "letters", loss="softmax", **ngrams)
    train(folder, "tree", loss="hs", wordNgrams=2, **ngrams)
    train(folder, "each", loss="ova", wordNgrams=3, **ngrams)
    train(folder, "negative", loss="ns", **ngrams)
    train(folder, "small", loss="hs", quantise={"qnorm": True, "retrain": False}, **ngrams)
    train(folder, "pruned", loss="softmax", quantise={"qnorm": True, "cutoff": 500, "retrain": True}, **ngrams)
    quantise = {"qnorm": False, "qout": True, "dsub": 3}
    train(folder, "output", loss="softmax", varieties=60, quantise=quantise, **ngrams)


main()
