import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildJava } from '../../apache/build.ts';
import { type Lifetime, temporaryFolder } from '../../brokers/weir-process.ts';

const home = import.meta.dirname;

/** Builds the class path of MirrorMaker, of Maven. */
function buildMirrorMaker(): string {
  return buildJava(home);
}

/** Why there is no MirrorMaker on this machine, if so. */
export function missingMirrorMaker(): string | false {
  if (spawnSync('java', ['-version']).status !== 0) return 'there is no Java';
  return existsSync(join(home, 'target', 'built-from')) ? false : 'run npm run test:migration-sources once';
}

/** Starts MirrorMaker as a process of its own, with the lines of its properties. */
export function startMirrorMaker(
  lifetime: Lifetime,
  properties: readonly string[],
): { readonly ended: Promise<never> } {
  const file = join(temporaryFolder(lifetime), 'mm2.properties');
  writeFileSync(file, `${properties.join('\n')}\n`);
  const java = spawn(
    'java',
    [
      ...['-Xmx512M', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', buildMirrorMaker()],
      ...['org.apache.kafka.connect.mirror.MirrorMaker', file],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const stream of [java.stdout, java.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-8_000);
    });
  const closed = once(java, 'close');
  lifetime.after(async () => {
    java.kill('SIGKILL');
    await closed;
  });
  const ended = closed.then(([code]): never => {
    throw new Error(`MirrorMaker ended with ${String(code)}: ${text}`);
  });
  ended.catch(() => undefined);
  return { ended };
}

// Run by itself, it only builds.
if (import.meta.main) buildMirrorMaker();
