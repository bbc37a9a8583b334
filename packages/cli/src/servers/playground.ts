import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Handler } from '../handler.ts';
import { bucketUrl } from '../values/bucket-url.ts';
import { openDataDirectory } from './data-directory.ts';
import { identityIn } from './identity.ts';
import { isCi } from './is-ci.ts';
import { local } from './local.ts';
import { runSelfContained } from './self-contained.ts';
import { storeSettings } from './store-settings.ts';

/** A cluster for one user on one machine, with durable records. In CI it becomes `local`, which is faster. */
export const playground: Handler<'playground'> = async (values, deps) => {
  const { environment, output } = deps;
  if (isCi(environment)) {
    output.err('weir playground: warning: started in CI, so that it runs as weir local and keeps nothing\n');
    return local(values, deps);
  }
  const dataDir = resolve(values.dataDir ?? join(homedir(), '.weir', 'playground'));
  using directory = new DisposableStack();
  directory.defer(openDataDirectory(dataDir, 'alone'));
  return await runSelfContained(
    {
      name: 'playground',
      identity: identityIn(dataDir),
      dataDir,
      databaseUrl: values.databaseURL ?? join(dataDir, 'weir.db'),
      bucketUrl:
        values.bucketURL === undefined
          ? pathToFileURL(join(dataDir, 'bucket')).href
          : bucketUrl().print(values.bucketURL),
      bucketCheck: values,
      storage: storeSettings(values),
      zone: 'playground',
      backupIntervalMs: values.metadataBackup ? values.metadataBackupInterval : undefined,
      notes: [`API key        in ${join(dataDir, 'identity.json')}`, `data           ${dataDir}`],
    },
    values,
    deps,
  );
};
