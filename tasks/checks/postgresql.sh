# The server is asked from outside of the agent's commands, and is started anew before the check.
for _ in $(seq 100); do
  pg_isready --quiet && break
  sleep 0.1
done
pg_isready || qs_fail "the server does not answer"

# Rows of the query $1, in $rows: columns joined by |, in a sorted order.
ask() {
  rows=$(psql --no-psqlrc --tuples-only --no-align --dbname mydb --command "$1" 2>&1) ||
    qs_fail "the database mydb answers: $rows"
}

ask "select city, temp_lo, temp_hi, coalesce(prcp::text, 'unknown'), date from weather order by 1, 5"
[ "$rows" = "Hayward|37|54|unknown|1994-11-29
San Francisco|46|50|0.25|1994-11-27
San Francisco|43|57|0|1994-11-29" ] || qs_fail "the rows of weather are: $rows"

ask "select name, location from cities"
[ "$rows" = "San Francisco|(-194,53)" ] || qs_fail "the rows of cities are: $rows"
