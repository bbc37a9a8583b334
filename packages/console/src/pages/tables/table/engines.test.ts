import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { type CatalogTable, engineNames, engines } from './engines.ts';

const plain: CatalogTable = {
  catalog: 'https://weir.example/catalogs/iceberg/vci_dl_1',
  token: 'TOKEN',
  table: 'shop__orders',
};

test('every snippet names the catalog, the token and the table', () => {
  for (const name of engineNames) {
    const text = engines[name].snippet(plain);
    for (const part of Object.values(plain)) assert.ok(text.includes(part), `${name}: ${part}`);
  }
});

test('a name or a token ends no word and no literal', () => {
  const hostile = { ...plain, token: `it's "$HOME" \\`, table: 'a"b`c\'d' };
  assert.match(engines.duckdb.snippet(hostile), /TOKEN 'it''s "\$HOME" \\'/);
  assert.match(engines.duckdb.snippet(hostile), /lake\."default"\."a""b`c'd"/);
  assert.ok(engines.pyiceberg.snippet(hostile).includes(`token=${JSON.stringify(hostile.token)}`));
  assert.match(engines.trino.snippet(hostile), /token=it's "\$HOME" \\\\/);
  const spark = engines.spark.snippet(hostile);
  const words = execFileSync('sh', ['-c', `set -- ${spark}; printf '%s\\n' "$@"`], { encoding: 'utf8' });
  assert.ok(words.includes(`spark.sql.catalog.weir.token=${hostile.token}`), words);
  assert.ok(words.includes('weir.`default`.`a"b``c\'d` LIMIT 10'), words);
});
