import pytest

from quickstarted.task.findings.endless import never_ends, starts_daemon, stops_something
from quickstarted.task.findings.shell import calls


@pytest.mark.parametrize(
    "command",
    [
        "flask run",
        "flask --app hello run --debug",
        ".venv/bin/flask --app hello run",
        "python -m flask run",
        "python3 -m http.server 8000",
        "python3 -u -m http.server 8000",
        "python manage.py runserver",
        "uv run flask run",
        "uv run --with httpx uvicorn app:app",
        "uvicorn app:app --reload",
        "npm start",
        "npm run dev",
        "npm run start:dev",
        "yarn dev",
        "pnpm dev",
        "npx vite",
        "npx http-server@14 .",
        "npx -y serve dist",
        "mkdocs serve",
        "hugo server -D",
        "php -S localhost:8000",
        "php artisan serve",
        "bundle exec jekyll serve",
        "tail -f log",
        "sleep infinity",
        "tsc --watch",
        "node --watch app.js",
        "redis-server",
        "nginx -g 'daemon off;'",
        "cd app && flask run",
        "celery -A app worker",
        "jupyter lab",
        "streamlit run app.py",
        "cargo watch -x run",
    ],
)
def test_servers_and_watchers_never_end(command):
    assert any(never_ends(call) for call in calls(command))


@pytest.mark.parametrize(
    "command",
    [
        "flask --app hello routes",
        "flask --version",
        "uvicorn --help",
        "timeout 5 flask run",
        "python app.py",
        "python -m venv .venv",
        "python manage.py migrate",
        "npm install",
        "npm run build",
        "npm test",
        "npx create-vite app",
        "npx vite build",
        "yarn add serve",
        "pip install uvicorn gunicorn",
        "npm install -g serve",
        "hugo new site x",
        "mkdocs build",
        "tail -n 5 log",
        "sleep 5",
        "tsc",
        "echo flask run",
        "cat <<'E'\nflask run\nE",
        "redis-cli ping",
        "nginx -t",
        "gunicorn --check-config app:app",
        "celery -A app inspect ping",
        "cargo run",
        "docker compose down",
        "uv add flask",
    ],
)
def test_what_ends_is_left_alone(command):
    assert not any(never_ends(call) for call in calls(command))


@pytest.mark.parametrize(
    "command",
    [
        "flask run &",
        "nohup ./server > log 2>&1 &",
        "service postgresql start",
        "systemctl restart nginx",
        "/etc/init.d/redis start",
        "pg_ctl -D data -l log start",
        "pg_ctlcluster 15 main start",
        "redis-server --daemonize yes",
        "mongod --fork --logpath log",
        "nginx",
        "sudo nginx",
        "npx pm2 start app.js",
        "gunicorn --daemon app:app",
    ],
)
def test_daemons_are_found(command):
    assert any(starts_daemon(call) for call in calls(command))


@pytest.mark.parametrize(
    "command",
    [
        "nginx -t",
        "service postgresql status",
        "pg_ctl status",
        "npm start",
        "apt-get install nginx",
    ],
)
def test_what_leaves_nothing_is_no_daemon(command):
    assert not any(starts_daemon(call) for call in calls(command))


@pytest.mark.parametrize("command", ["kill %1", "pkill flask", "pg_ctl stop", "redis-cli shutdown"])
def test_what_ends_an_earlier_process_is_seen(command):
    assert any(stops_something(call) for call in calls(command))
