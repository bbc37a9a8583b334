import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Handler } from '../handler.ts';
import { bucketUrl } from '../values/bucket-url.ts';
import { placeInDirectory } from './cluster-place.ts';
import { isCi } from './is-ci.ts';
import { local } from './local.ts';
import { runSelfContained } from './self-contained.ts';
import { storeSettings } from './store-settings.ts';

/** A cluster for one user on one machine, with durable records. In CI it becomes `local`, which is faster. */
export const playground: Handler<'playground'> = async (values, deps) => {
  const { environment, output } = deps;
  if (isCi(environment)) {
    output.err('weir playground: warning: started in CI; runs like weir local and keeps no data\n');
    return local(values, deps);
  }
  using cleanup = new DisposableStack();
  const path = values.dataDir ?? join(homedir(), '.weir', 'playground');
  const place = placeInDirectory(path, values, cleanup);
  const { dataDir } = place;
  return await runSelfContained(
    {
      ...place,
      name: 'playground',
      storage: storeSettings(values),
      allowedBucketUrls: values.allowedBucketURLs.map(bucketUrl().print),
      zone: 'playground',
      prints: values.output,
      facts: { data_dir: dataDir, identity_file: join(dataDir, 'identity.json') },
      notes: [`API key        in ${join(dataDir, 'identity.json')}`, `data           ${dataDir}`],
    },
    values,
    deps,
  );
};
