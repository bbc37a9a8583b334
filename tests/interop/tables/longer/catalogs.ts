/** Our clients of catalogs against servers that we did not write: Iceberg's own, and moto's Glue. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Metrics, seededRandom, silentLog, systemClock, systemEnvironment } from '@weir/core';
import {
  type Catalog,
  commitChange,
  createTable,
  FileChange,
  GlueCatalog,
  planFiles,
  RestCatalog,
  snapshotOfRef,
  storeFiles,
} from '@weir/iceberg';
import { createBucket, openStore } from '@weir/storage';
import { catalogContract } from '../../../../packages/iceberg/testing/catalog-contract.ts';
import { dataFile } from '../../../../packages/iceberg/testing/files.ts';
import { column } from '../../../../packages/iceberg/testing/schemas.ts';
import { missingTool } from '../../apache/tools.ts';
import { pythonWith } from '../../python/venv.ts';
import { IcebergCatalogServer } from './catalog-server.ts';
import { MotoServer } from './moto-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'weir-catalogs-'));
const root = `file://${folder}/tables`;
await createBucket(root);
const store = await openStore(root, {
  clock: systemClock,
  random: seededRandom(1),
  log: silentLog,
  environment: systemEnvironment,
  metrics: new Metrics(),
});
const files = storeFiles(store, root);
let seed = 1;
const deps = () => ({ files, clock: systemClock, random: seededRandom(seed++), log: silentLog });

const missingJava = missingTool();
const moto = pythonWith('moto');
let iceberg: IcebergCatalogServer | undefined;
let glue: MotoServer | undefined;
before(async () => {
  if (missingJava === false) iceberg = await IcebergCatalogServer.start(root);
  if (moto.python !== undefined) glue = await MotoServer.start(moto.python);
});
after(async () => {
  iceberg?.close();
  glue?.close();
  await rm(folder, { recursive: true, force: true });
});

const openRest = () => new RestCatalog({ uri: iceberg!.uri, ...deps() });
const openGlue = () =>
  new GlueCatalog({
    region: 'eu-west-1',
    endpoint: glue!.uri,
    credentials: async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' }),
    root,
    ...deps(),
  });

/** The servers live through all tests, so that tables of the one before are dropped. */
async function emptied(catalog: Catalog): Promise<Catalog> {
  for (const table of await catalog.list(['shop'])) await catalog.drop(table);
  return catalog;
}

function races(name: string, skip: string | false, open: () => Catalog): void {
  test(`${name}: writers race, and no append is lost or made twice`, { skip }, async () => {
    const table = { namespace: ['shop'], name: 'raced' };
    const catalog = await emptied(open());
    const { metadata } = await createTable(catalog, table, { columns: [column(1, 'id!', 'long')] }, deps());
    const names = Array.from({ length: 16 }, (_, at) => `f${String(at).padStart(2, '0')}`);
    await Promise.all(
      [0, 1, 2, 3].map(async (writer) => {
        const own = open();
        for (const file of names.filter((_, at) => at % 4 === writer)) {
          const added = [dataFile(`${metadata.location}/data/${file}`)];
          const change = new FileChange({ operation: 'append', added }, deps());
          await commitChange(own, table, change, { ...deps(), attemptsMax: 200 });
        }
      }),
    );
    const after = (await catalog.load(table)).metadata;
    assert.equal(after.snapshots.length, names.length);
    const { data } = await planFiles(files, after, snapshotOfRef(after));
    assert.deepEqual(data.map(({ file }) => file.path.split('/').at(-1)).sort(), names);
  });
}

if (missingJava === false) catalogContract("Iceberg's REST server", () => emptied(openRest()));
races("Iceberg's REST server", missingJava, openRest);

// moto 5.2 takes no notice of `VersionId`, so that writers cannot race there.
if (moto.missing === false) catalogContract("moto's Glue", () => emptied(openGlue()), { isAtomic: false });
else test("moto's Glue", { skip: moto.missing });
