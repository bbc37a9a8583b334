import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildJavaClient, shortLivedJava } from './build.ts';

export type Direction = 'request' | 'response';

/** A message that Apache's classes cannot read or cannot write. */
export class RefusedByApache extends Error {
  override readonly name = 'RefusedByApache';
}

/** Apache's message classes in a separate process, which answers in request order. */
export interface Echo {
  /** Lets Apache read a whole message and returns its re-encoded bytes. */
  echo(api: number | 'header', direction: Direction, version: number, bytes: Buffer): Promise<Buffer>;
  /** Returns Apache's encoding of a message with no field set. */
  unset(api: number | 'header', direction: Direction, version: number): Promise<Buffer>;
  close(): Promise<void>;
}

export function openEcho(): Echo {
  const java = spawn(
    'java',
    [...shortLivedJava, '-cp', buildJavaClient(), 'weir.interop.JavaClient', 'echo'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = once(java, 'close');
  const waiting: PromiseWithResolvers<string>[] = [];
  createInterface({ input: java.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  java.on('close', (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the Java client ended with ${code}`));
  });

  async function ask(question: string): Promise<Buffer> {
    const answer = Promise.withResolvers<string>();
    waiting.push(answer);
    java.stdin.write(`${question}\n`);
    const [verdict, ...words] = (await answer.promise).split(' ');
    if (verdict !== 'OK') throw new RefusedByApache(words.join(' '));
    return Buffer.from(words.join(''), 'hex');
  }

  return {
    echo: (api, direction, version, bytes) =>
      ask(`echo ${api} ${direction} ${version} ${bytes.toString('hex')}`),
    unset: (api, direction, version) => ask(`default ${api} ${direction} ${version}`),
    async close() {
      java.stdin.end();
      await ended;
    },
  };
}
