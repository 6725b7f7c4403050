//! The files in infra/: that they can be read, that they agree with each other and with the program, and that their
//! scripts do what they say.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::cluster::addresses;
use crate::support::{files, said, sample};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The only document of a YAML file, with its merge keys merged.
fn yaml(name: &str) -> Value {
    let text = text(name);
    let documents = Yaml::load_from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(documents.len(), 1, "{name}");
    json_of(&documents[0])
}

fn json_of(node: &Yaml<'_>) -> Value {
    match node {
        Yaml::Value(Scalar::Boolean(value)) => (*value).into(),
        Yaml::Value(Scalar::Integer(value)) => (*value).into(),
        Yaml::Value(Scalar::String(value)) => value.as_ref().into(),
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Sequence(items) => items.iter().map(json_of).collect(),
        Yaml::Mapping(entries) => {
            let (mut merged, mut own) = (Map::new(), Map::new());
            for (key, value) in entries {
                match (key.as_str().unwrap(), json_of(value)) {
                    ("<<", Value::Object(from)) => merged.extend(from),
                    (key, value) => drop(own.insert(key.to_owned(), value)),
                }
            }
            merged.extend(own);
            merged.into()
        }
        other => panic!("{other:?} is not expected here"),
    }
}

/// The arguments of the only line of a Dockerfile's last stage that begins so.
fn instruction(name: &str) -> String {
    let dockerfile = text("infra/Dockerfile");
    let (_, stage) = dockerfile.rsplit_once("\nFROM ").unwrap();
    let lines: Vec<&str> = stage.lines().filter_map(|line| line.strip_prefix(name)).collect();
    assert_eq!(lines.len(), 1, "{name}: {lines:?}");
    lines[0].trim().to_owned()
}

/// The image with the version of the program.
const IMAGE: &str = concat!("gleaner:", env!("CARGO_PKG_VERSION"));

/// A folder for programs that stand in for others, before all others.
struct Fakes(TempDir);

impl Fakes {
    fn new() -> Fakes {
        Fakes(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn add(self, name: &str, script: &str) -> Fakes {
        let file = self.0.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let paths = [
            self.0.path().to_str().unwrap(),
            path("infra").to_str().unwrap(),
            &std::env::var("PATH").unwrap(),
        ]
        .join(":");
        command.env("PATH", paths).current_dir(self.0.path());
        command
    }

    fn hosts(&self, arguments: &[&str], slurm: &[(&str, &str)]) -> Output {
        let mut command = self.command("hosts.sh");
        command.args(arguments).envs(slurm.iter().copied());
        command.output().unwrap()
    }
}

fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", said(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn hosts_of_slurm_are_its_nodes_as_often_as_tasks_run_on_them() {
    // What `scontrol show hostnames` does with n[1-3].
    let fakes = Fakes::new().add(
        "scontrol",
        "[ \"$*\" = 'show hostnames n[1-3]' ] && printf 'n1\\nn2\\nn3\\n'",
    );
    let hosts = |arguments: &[&str], tasks: &str| {
        fakes.hosts(
            arguments,
            &[("SLURM_JOB_NODELIST", "n[1-3]"), ("SLURM_TASKS_PER_NODE", tasks)],
        )
    };
    assert_eq!(
        lines(&hosts(&["slurm"], "1(x3)")),
        ["n1:2101", "n2:2101", "n3:2101"]
    );
    assert_eq!(
        lines(&hosts(&["slurm", "7000"], "2(x2),1")),
        ["n1:7000", "n1:7001", "n2:7000", "n2:7001", "n3:7000"]
    );
    let fewer = hosts(&["slurm"], "1(x2)");
    assert_eq!(said(&fewer), "hosts.sh: 3 nodes, and tasks for 2 (1(x2))\n");
    assert_eq!(fewer.status.code(), Some(2));
}

#[test]
fn hosts_that_are_numbered_have_names_of_pods() {
    let fakes = Fakes::new();
    let hosts = |arguments: &[&str]| fakes.hosts(arguments, &[]);
    assert_eq!(
        lines(&hosts(&["numbered", "a", "2", "b.c"])),
        ["a-0.b.c:2101", "a-1.b.c:2101"]
    );
    assert_eq!(lines(&hosts(&["numbered", "a", "1", "", "9"])), ["a-0:9"]);
    for (arguments, sentence) in [
        (
            &["numbered", "a", "x"][..],
            "hosts.sh: 'x' is no number of processes\n",
        ),
        (
            &["numbered", "a"],
            "hosts.sh: numbered needs a NAME and a COUNT\n",
        ),
        (
            &["slurm"],
            "hosts.sh: SLURM_JOB_NODELIST is not set: run this in a Slurm job, such as infra/slurm.sbatch\n",
        ),
        (
            &[],
            "hosts.sh: use: hosts.sh slurm [PORT], or hosts.sh numbered NAME COUNT [DOMAIN [PORT]]\n",
        ),
    ] {
        let output = hosts(arguments);
        assert_eq!(
            (said(&output).as_str(), output.status.code()),
            (sentence, Some(2)),
            "{arguments:?}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_image_is_pinned_and_not_of_root() {
    let dockerfile = text("infra/Dockerfile");
    let bases: Vec<&str> = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("FROM ")?.split(' ').next())
        .collect();
    let [build, run] = bases[..] else {
        panic!("{bases:?}")
    };
    let manifest: toml::Table = toml::from_str(&text("Cargo.toml")).unwrap();
    let rust = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    let debian = run
        .strip_prefix("debian:")
        .and_then(|tag| tag.strip_suffix("-slim"))
        .unwrap();
    assert_eq!(
        build,
        format!("rust:{rust}-slim-{debian}"),
        "the same C library in both stages"
    );
    assert!(dockerfile.contains("cargo build --locked --release "));
    let user = instruction("USER ");
    assert!(
        user.split(':').all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)),
        "{user}"
    );
    assert_eq!(instruction("ENTRYPOINT "), "[\"gleaner\"]");
    assert!(dockerfile.contains(&format!("--tag {IMAGE} ")), "no {IMAGE}");
}

/// Whether a file of the repository is left out of what the image is built from.
fn is_ignored(file: &str) -> bool {
    let covers = |pattern: &str| match (pattern.strip_prefix("**/*"), pattern.strip_prefix('*')) {
        (Some(ending), _) => file.ends_with(ending),
        (None, Some(ending)) => file.ends_with(ending) && !file.contains('/'),
        (None, None) => file == pattern || file.starts_with(&format!("{pattern}/")),
    };
    let ignored = text(".dockerignore");
    let rules = ignored.lines().filter(|line| !line.starts_with('#'));
    rules.fold(false, |so_far, rule| match rule.strip_prefix('!') {
        Some(kept) => so_far && !covers(kept),
        None => so_far || covers(rule),
    })
}

#[test]
fn the_image_is_built_from_what_it_needs() {
    for needed in [
        "Cargo.toml",
        "Cargo.lock",
        "src/main.rs",
        "crates/cli/src/lib.rs",
        "crates/document/models/default.gcrf",
        "crates/document/models/text.gcrf",
        "crates/posts/rules/default.toml",
        "tests/tests.rs",
        "infra/hosts.sh",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        assert!(path(needed).exists() && !is_ignored(needed), "{needed}");
    }
    for left_out in [
        "target/debug/gleaner",
        ".git/HEAD",
        "README.md",
        "infra/compose.yaml",
        "tests/data/sample.warc.gz",
    ] {
        assert!(is_ignored(left_out), "{left_out}");
    }
}

/// The port of processes where none is said.
fn default_port() -> i64 {
    let script = text("infra/hosts.sh");
    let port = script
        .lines()
        .find_map(|line| line.strip_prefix("default_port="))
        .unwrap();
    port.parse().unwrap()
}

/// Runs a script of a container with a stand-in for the program. Its arguments, a line each, and the hosts.
fn started(script: &str, environment: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let fakes = Fakes::new().add("gleaner", "printf '%s\\n' \"$@\"");
    let hosts = fakes.0.path().join("hosts");
    let script = script
        .replace("$$", "$")
        .replace("/tmp/hosts", hosts.to_str().unwrap());
    let mut command = fakes.command("/bin/sh");
    let output = command
        .args(["-euc", &script])
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let hosts = fs::read_to_string(hosts).unwrap();
    (lines(&output), hosts.lines().map(str::to_owned).collect())
}

/// The value of an option among arguments.
fn value<'a>(arguments: &'a [String], option: &str) -> &'a str {
    let at = arguments.iter().position(|argument| argument == option);
    &arguments[at.unwrap_or_else(|| panic!("no {option} in {arguments:?}")) + 1]
}

#[test]
fn pods_find_each_other_by_the_service() {
    let job = yaml("infra/kubernetes/job.yaml");
    let service = yaml("infra/kubernetes/service.yaml");
    let pod = &job["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(
        (&job["apiVersion"], &job["kind"]),
        (&json!("batch/v1"), &json!("Job"))
    );
    assert_eq!(job["spec"]["completionMode"], "Indexed");
    let pods = job["spec"]["completions"].as_u64().unwrap();
    assert_eq!(
        job["spec"]["parallelism"], pods,
        "all have to run at the same time"
    );
    assert_eq!(pod["restartPolicy"], "OnFailure");
    assert_eq!(pod["subdomain"], service["metadata"]["name"]);
    assert_eq!(service["spec"]["clusterIP"], "None");
    assert_eq!(service["spec"]["publishNotReadyAddresses"], true);
    assert_eq!(
        service["spec"]["selector"],
        json!({ "job-name": job["metadata"]["name"] })
    );

    assert_eq!(container["command"], json!(["/bin/sh", "-euc"]));
    let processes = pods.to_string();
    assert_eq!(
        container["env"],
        json!([{ "name": "PROCESSES", "value": processes }])
    );
    let index = [("PROCESSES", processes.as_str()), ("JOB_COMPLETION_INDEX", "2")];
    let (arguments, hosts) = started(container["args"][0].as_str().unwrap(), &index);
    let name = |number| {
        let (job, service) = (&job["metadata"]["name"], &service["metadata"]["name"]);
        format!(
            "{}-{number}.{}:{}",
            job.as_str().unwrap(),
            service.as_str().unwrap(),
            default_port()
        )
    };
    assert_eq!(hosts, (0..pods).map(name).collect::<Vec<_>>());
    assert_eq!(value(&arguments, "--process"), "2");
    assert_eq!(arguments[..2], ["run", "/etc/gleaner/job.toml"]);

    let metrics = value(&arguments, "--metrics").rsplit(':').next().unwrap();
    let ports = json!([default_port(), metrics.parse::<i64>().unwrap()]);
    let numbers = |ports: &Value, name: &str| -> Value {
        ports
            .as_array()
            .unwrap()
            .iter()
            .map(|port| port[name].clone())
            .collect()
    };
    assert_eq!(numbers(&container["ports"], "containerPort"), ports);
    assert_eq!(numbers(&service["spec"]["ports"], "port"), ports);
    let about = &job["spec"]["template"]["metadata"];
    assert_eq!(about["annotations"]["prometheus.io/port"], metrics);

    let policy = &yaml("infra/kubernetes/network.yaml")["spec"];
    let pods = json!({ "matchLabels": about["labels"] });
    assert_eq!(policy["podSelector"], pods);
    assert_eq!(policy["policyTypes"], json!(["Ingress"]));
    let [between, scraped] = &policy["ingress"].as_array().unwrap()[..] else {
        panic!("not two rules: {policy}")
    };
    assert_eq!(between["from"], json!([{ "podSelector": pods }]));
    assert_eq!(between["ports"], json!([{ "port": ports[0] }]));
    assert_eq!(scraped, &json!({ "ports": [{ "port": ports[1] }] }));
}

#[test]
fn pods_are_not_root_and_get_the_job_file() {
    let job = yaml("infra/kubernetes/job.yaml");
    let pod = &job["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    let user = format!(
        "{0}:{1}",
        pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]
    );
    assert_eq!(user, instruction("USER "));
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
    assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
    assert_eq!(
        container["resources"]["requests"]["memory"],
        container["resources"]["limits"]["memory"]
    );

    let kustomization = yaml("infra/kubernetes/kustomization.yaml");
    let generated = &kustomization["configMapGenerator"][0];
    let mounted: Vec<&Value> = pod["volumes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|volume| volume["configMap"]["name"] == generated["name"])
        .collect();
    assert_eq!(mounted.len(), 1);
    let mounts = container["volumeMounts"].as_array().unwrap();
    let job_file = mounts
        .iter()
        .find(|mount| mount["name"] == mounted[0]["name"])
        .unwrap();
    assert_eq!(job_file["mountPath"], "/etc/gleaner");
    assert_eq!(generated["files"], json!(["job.toml"]));
    let image = &kustomization["images"][0];
    assert_eq!(image["name"], container["image"]);
    assert_eq!(format!("gleaner:{}", image["newTag"].as_str().unwrap()), IMAGE);
    for resource in kustomization["resources"].as_array().unwrap() {
        assert!(
            path("infra/kubernetes").join(resource.as_str().unwrap()).exists(),
            "{resource}"
        );
    }
}

#[test]
fn kustomize_understands_the_folder() {
    let rendered = Command::new("kubectl")
        .arg("kustomize")
        .arg(path("infra/kubernetes"))
        .output();
    let Ok(rendered) = rendered else {
        return eprintln!("skipped: kubectl is not installed");
    };
    let rendered = lines(&rendered).join("\n");
    let documents = Yaml::load_from_str(&rendered).unwrap();
    let job = documents
        .iter()
        .map(json_of)
        .find(|document| document["kind"] == "Job")
        .unwrap();
    let pod = &job["spec"]["template"]["spec"];
    assert_eq!(pod["containers"][0]["image"], IMAGE);
    let names = documents
        .iter()
        .map(json_of)
        .filter(|document| document["kind"] == "ConfigMap");
    let names: Vec<Value> = names
        .map(|document| document["metadata"]["name"].clone())
        .collect();
    assert_eq!(json!(names), json!([pod["volumes"][0]["configMap"]["name"]]));
}

#[test]
fn containers_of_compose_find_each_other_and_the_store() {
    let compose = yaml("infra/compose.yaml");
    let services = compose["services"].as_object().unwrap();
    let processes: Vec<(&String, &Value)> = services
        .iter()
        .filter(|(name, _)| name.starts_with("gleaner"))
        .collect();
    assert_eq!(processes.len(), 3);
    for (number, (name, service)) in processes.iter().enumerate() {
        assert_eq!(service["image"], IMAGE);
        assert!(
            path("infra")
                .join(service["build"]["context"].as_str().unwrap())
                .join(service["build"]["dockerfile"].as_str().unwrap())
                .exists()
        );
        assert!(service["restart"].as_str().unwrap().starts_with("on-failure"));
        assert_eq!(service["entrypoint"], json!(["/bin/sh", "-euc"]));
        let environment = &service["environment"];
        let process = environment["PROCESS"].as_str().unwrap();
        assert_eq!(process, number.to_string());
        let (arguments, hosts) = started(service["command"][0].as_str().unwrap(), &[("PROCESS", process)]);
        assert_eq!(hosts.len(), processes.len());
        assert_eq!(hosts[number], format!("{name}:{}", default_port()));
        assert_eq!(value(&arguments, "--process"), process);

        let store = &services["s3"];
        let command: Vec<String> = serde_json::from_value(store["command"].clone()).unwrap();
        assert_eq!(
            environment["AWS_ENDPOINT_URL"],
            format!("http://s3{}", value(&command, "--port"))
        );
        assert_eq!(environment["AWS_ACCESS_KEY_ID"], value(&command, "--access"));
        assert_eq!(environment["AWS_SECRET_ACCESS_KEY"], value(&command, "--secret"));
        let bucket = value(&arguments, "--out")
            .strip_prefix("s3://")
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        assert_eq!(
            store["volumes"],
            json!([format!("corpus:{}/{bucket}", value(&command, "posix"))])
        );
    }
    for (name, service) in services {
        let image = service["image"].as_str().unwrap();
        assert!(
            image.contains(':') && !image.ends_with(":latest"),
            "{name}: {image}"
        );
    }
}

#[test]
fn shells_understand_the_scripts() {
    let shellcheck = Command::new("shellcheck").arg("--version").output().is_ok();
    for (shell, script) in [("sh", "infra/hosts.sh"), ("bash", "infra/slurm.sbatch")] {
        let script = path(script);
        lines(&Command::new(shell).arg("-n").arg(&script).output().unwrap());
        assert_eq!(
            fs::metadata(&script).unwrap().permissions().mode() & 0o111,
            0o111,
            "{}",
            script.display()
        );
        if shellcheck {
            let checked = Command::new("shellcheck")
                .args(["--shell", shell])
                .arg(&script)
                .output()
                .unwrap();
            assert!(
                checked.status.success(),
                "{}",
                String::from_utf8_lossy(&checked.stdout)
            );
        }
    }
    if !shellcheck {
        eprintln!("skipped in part: shellcheck is not installed");
    }
}

/// The steps of a job of a workflow.
fn steps(job: &Value) -> &Vec<Value> {
    job["steps"].as_array().unwrap()
}

/// The settings of the step that calls maturin.
fn maturin(job: &Value) -> &Value {
    let calls = |step: &&Value| {
        step["uses"]
            .as_str()
            .is_some_and(|name| name.starts_with("PyO3/maturin-action@"))
    };
    &steps(job).iter().find(calls).unwrap()["with"]
}

#[test]
fn wheels_are_built_and_tested_for_each_platform() {
    let workflow = yaml("infra/wheels.yaml");
    let (wheel, sdist) = (&workflow["jobs"]["wheel"], &workflow["jobs"]["sdist"]);
    let platforms = wheel["strategy"]["matrix"]["include"].as_array().unwrap();
    let field = |platform: &Value, name: &str| platform[name].as_str().unwrap().to_owned();
    let expected = [
        ("aarch64-apple-darwin", "macos", "off"),
        ("aarch64-unknown-linux-gnu", "ubuntu", "2_28"),
        ("x86_64-apple-darwin", "macos", "off"),
        ("x86_64-pc-windows-msvc", "windows", "off"),
        ("x86_64-unknown-linux-gnu", "ubuntu", "2_28"),
    ];
    let row = |platform: &Value| {
        let system = field(platform, "runner").split('-').next().unwrap().to_owned();
        [field(platform, "target"), system, field(platform, "manylinux")]
    };
    let mut found: Vec<_> = platforms.iter().map(row).collect();
    found.sort();
    let expected = expected.map(|(target, system, manylinux)| [target, system, manylinux].map(str::to_owned));
    assert_eq!(found, expected);

    assert_eq!(
        (&maturin(wheel)["command"], &maturin(sdist)["command"]),
        (&json!("build"), &json!("sdist"))
    );
    assert_eq!(maturin(wheel)["args"], "--release --locked --out dist");
    for job in [wheel, sdist] {
        let last = steps(job).iter().rev().find_map(|step| step["run"].as_str());
        assert_eq!(
            last,
            Some("python infra/test_wheel.py dist"),
            "what is kept is tested"
        );
        assert_eq!(steps(job).last().unwrap()["with"]["path"], "dist");
    }
}

#[test]
fn wheels_are_built_with_the_versions_of_the_manifests() {
    let workflow = yaml("infra/wheels.yaml");
    let manifest: toml::Table = toml::from_str(&text("Cargo.toml")).unwrap();
    assert_eq!(
        workflow["env"]["RUST"].as_str(),
        manifest["workspace"]["package"]["rust-version"].as_str()
    );
    let project: toml::Table = toml::from_str(&text("pyproject.toml")).unwrap();
    let python = project["project"]["requires-python"].as_str();
    let (least, _) = project["build-system"]["requires"][0]
        .as_str()
        .unwrap()
        .split_once(',')
        .unwrap();
    let least = least.strip_prefix("maturin>=").unwrap();
    let maturin_used = workflow["env"]["MATURIN"].as_str().unwrap();
    assert!(maturin_used.starts_with(&format!("v{least}.")), "{maturin_used}");
    for job in ["wheel", "sdist"].map(|name| &workflow["jobs"][name]) {
        let setup = steps(job)
            .iter()
            .find_map(|step| step["with"]["python-version"].as_str());
        assert_eq!(
            setup.map(|version| format!(">={version}")).as_deref(),
            python,
            "the oldest Python"
        );
        assert_eq!(maturin(job)["maturin-version"], "${{ env.MATURIN }}");
        assert_eq!(maturin(job)["rust-toolchain"], "${{ env.RUST }}");
    }
    if let Ok(checked) = Command::new("actionlint").arg(path("infra/wheels.yaml")).output() {
        assert!(
            checked.status.success(),
            "{}",
            String::from_utf8_lossy(&checked.stdout)
        );
    } else {
        eprintln!("skipped in part: actionlint is not installed");
    }
}

#[test]
fn the_test_of_wheels_names_what_it_needs() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let test = |file: &Path| {
        Command::new("python3")
            .arg(path("infra/test_wheel.py"))
            .arg(file)
            .output()
            .unwrap()
    };
    let empty = test(folder.path());
    let name = folder.path().display();
    let sentence =
        format!("{name} must hold one wheel or one source distribution, and holds 0: name the file\n");
    assert_eq!((said(&empty), empty.status.code()), (sentence, Some(1)));
    fs::write(folder.path().join("gleaner-0-py3-none-any.whl"), "no archive").unwrap();
    let broken = test(folder.path());
    assert_eq!(broken.status.code(), Some(1), "{}", said(&broken));
    assert!(said(&broken).contains(" ended with status "), "{}", said(&broken));
}

/// Names of metrics in a text.
fn metrics(text: &str) -> Vec<String> {
    let is_name = |letter: char| letter == '_' || letter.is_ascii_lowercase();
    let names = text
        .split(|letter| !is_name(letter))
        .filter(|word| word.starts_with("gleaner_"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn the_dashboard_shows_the_metrics_that_there_are() {
    let dashboard: Value = serde_json::from_str(&text("infra/grafana-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut shown = Vec::new();
    for (number, panel) in panels.iter().enumerate() {
        assert_eq!(panel["id"], number + 1, "numbers of panels are their own");
        let place = &panel["gridPos"];
        assert!(
            place["x"].as_u64().unwrap() + place["w"].as_u64().unwrap() <= 24,
            "{place}"
        );
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let open = |letter: char| expression.matches(letter).count();
            assert_eq!(
                (open('('), open('{'), open('[')),
                (open(')'), open('}'), open(']')),
                "{expression}"
            );
            assert!(expression.contains("job=~\"$job\""), "{expression}");
            let rated = expression.contains("rate(");
            assert!(
                !rated || expression.contains("_total"),
                "only counters have rates: {expression}"
            );
            shown.extend(metrics(expression));
        }
    }
    shown.sort();
    shown.dedup();
    let source = text("crates/cli/src/build/watching/metrics.rs");
    let exported = metrics(
        &source
            .split('"')
            .skip(1)
            .step_by(2)
            .collect::<Vec<_>>()
            .join("\n"),
    );
    assert_eq!(shown, exported, "not what the program exports");
    assert_eq!(metrics(&text("docs/watching.md")), exported, "docs/watching.md");
}

/// A Slurm of one node with three tasks on it: a folder to submit from, with what stands in for its commands.
struct Slurm {
    fakes: Fakes,
    /// The first of three ports that nobody listens at.
    port: String,
}

/// Starts a command as often as there are tasks, and ends with the worst status.
const SRUN: &str = r#"
while [ "${1#--}" != "$1" ]; do shift; done
tasks=''
for task in 0 1 2; do
    SLURM_PROCID=$task "$@" &
    tasks="$tasks $!"
done
worst=0
for task in $tasks; do
    status=0
    wait "$task" || status=$?
    [ "$status" -le "$worst" ] || worst=$status
done
exit "$worst"
"#;

/// Its nodes are all at one address of this host.
fn scontrol(address: &str) -> String {
    format!("case $1 in show) echo {address} ;; requeue) echo \"$2\" >> requeued ;; esac")
}

impl Slurm {
    fn new() -> Slurm {
        let addresses = addresses(3);
        let (address, port) = addresses[0].split_once(':').unwrap();
        let fakes = Fakes::new().add("srun", SRUN).add("scontrol", &scontrol(address));
        let job = format!(
            "inputs = [{:?}]\nout = \"corpus\"\npart_size = \"48KiB\"\nchunk_size = 16\n",
            sample()
        );
        fs::write(fakes.0.path().join("job.toml"), job).unwrap();
        Slurm {
            fakes,
            port: port.to_owned(),
        }
    }

    /// The program is a script.
    fn with_program(script: &str) -> Slurm {
        let slurm = Slurm::new();
        let fakes = slurm.fakes.add("gleaner", script);
        Slurm { fakes, ..slurm }
    }

    fn batch(&self, arguments: &[&str], restarts: &str) -> Output {
        let folder = self.fakes.0.path();
        let mut command = self.fakes.command("bash");
        command
            .arg(path("infra/slurm.sbatch"))
            .args(arguments)
            .env("SLURM_RESTART_COUNT", restarts);
        for (name, value) in [
            ("SLURM_JOB_ID", "7"),
            ("SLURM_JOB_NODELIST", "node1"),
            ("SLURM_TASKS_PER_NODE", "3"),
            ("SLURM_CPUS_PER_TASK", "1"),
            ("SLURM_SUBMIT_DIR", folder.to_str().unwrap()),
            ("GLEANER_INFRA", path("infra").to_str().unwrap()),
            ("GLEANER_PORT", &self.port),
        ] {
            command.env(name, value);
        }
        let output = command.output().unwrap();
        assert!(
            !folder.join("gleaner-7.hosts").exists(),
            "the list of hosts is left behind"
        );
        output
    }

    fn is_requeued(&self) -> bool {
        fs::read_to_string(self.fakes.0.path().join("requeued")).is_ok_and(|jobs| jobs == "7\n")
    }

    fn tables(&self, corpus: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = self.fakes.0.path().join(corpus);
        let is_table = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "parquet");
        let named = |file: PathBuf| {
            (
                file.strip_prefix(&folder).unwrap().to_owned(),
                fs::read(&file).unwrap(),
            )
        };
        files(&folder).into_iter().filter(is_table).map(named).collect()
    }
}

/// The program where `gleaner` is looked for.
fn real() -> String {
    format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_gleaner"))
}

#[test]
fn a_job_of_slurm_builds_what_one_process_builds() {
    let slurm = Slurm::with_program(&real());
    let output = slurm.batch(&["job.toml", "--blocks"], "0");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("process 2 of 3"), "{}", said(&output));
    let alone = slurm
        .fakes
        .command("gleaner")
        .args(["run", "job.toml", "--blocks", "--out", "alone"])
        .output();
    lines(&alone.unwrap());
    let tables = slurm.tables("corpus");
    assert!(tables.len() > 8, "there are several parts");
    assert!(tables == slurm.tables("alone"), "the tables differ");
    assert!(!slurm.is_requeued());
}

#[test]
fn a_job_of_slurm_that_was_no_end_goes_back_into_the_queue() {
    const FAILS: &str = "case \"$*\" in *'--process 1') exit 2 ;; esac";
    for (program, restarts, status, is_requeued) in [
        (FAILS, "0", 2, true),
        (FAILS, "19", 2, true),
        (FAILS, "20", 2, false),
        (
            "case \"$*\" in *'--process 0') kill -9 $$ ;; esac",
            "0",
            137,
            true,
        ),
        ("case \"$*\" in *'--process 0') exit 1 ;; esac", "0", 1, false),
        ("exit 0", "0", 0, false),
        // What is not sound is never begun.
        (
            "case \"$*\" in *--show*) exit 2 ;; esac; touch begun",
            "0",
            2,
            false,
        ),
    ] {
        let slurm = Slurm::with_program(program);
        let output = slurm.batch(&["job.toml", "--out", "corpus"], restarts);
        assert_eq!(output.status.code(), Some(status), "{program}: {}", said(&output));
        assert_eq!(slurm.is_requeued(), is_requeued, "{program}, {restarts} restarts");
        assert!(!slurm.fakes.0.path().join("begun").exists());
    }
}
