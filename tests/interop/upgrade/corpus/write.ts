/**
 * `npm run corpus`: writes data by earlier releases, which tests/interop/upgrade/corpus.test.ts opens with this one.
 * Data that is there is kept: what a release once wrote is never written again.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastFirst } from '../../brokers/weir-process.ts';
import { formatOf, releaseOfEarlierFormat, releaseOfSameFormat } from '../earlier-release.ts';
import { readContent, writeContent } from './content.ts';
import { archiveOf, dataFolder, nameOf, pack, servedFolder } from './kept-data.ts';
import { serve, shapes } from './served-data.ts';

mkdirSync(dataFolder, { recursive: true });
for (const release of [releaseOfEarlierFormat(), releaseOfSameFormat()]) {
  for (const shape of shapes) {
    const name = nameOf(shape, formatOf(release));
    if (existsSync(archiveOf(name))) continue;
    const folder = mkdtempSync(join(tmpdir(), 'weir-corpus-'));
    mkdirSync(servedFolder(folder));
    const ends: (() => Promise<void>)[] = [];
    try {
      const lifetime = lastFirst({ after: (end) => void ends.push(end) });
      const running = await serve(lifetime, shape, servedFolder(folder), release.program);
      await writeContent(running);
      const content = await readContent(running);
      // A playground ends as on a machine that loses power, so that its last entries are in segments alone.
      for (const process of running.processes)
        await (shape === 'playground' ? process.kill() : process.stop());
      pack(name, folder, content);
      process.stdout.write(`${archiveOf(name)}: written by ${release.commit}\n`);
    } finally {
      for (const end of ends) await end();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
