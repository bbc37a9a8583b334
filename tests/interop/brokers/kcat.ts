import { spawn, spawnSync } from 'node:child_process';
import { outputOf } from '../child-output.ts';
import { missingPackage } from '../debian-package.ts';

export function missingKcat(): string | false {
  return missingPackage('kcat', () => spawnSync('kcat', ['-V']).status === 0);
}

/** Runs kcat with the input and returns its output. */
export async function kcat(broker: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn('kcat', ['-b', broker, ...args], { timeout: 120_000, killSignal: 'SIGKILL' });
  const { status, out, err } = await outputOf(child, input);
  if (status !== 0) throw new Error(`kcat ${args.join(' ')} ended with ${status}: ${err}`);
  return out;
}

/** A record as `kcat -J` prints it. */
export interface KcatRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly tstype: 'create' | 'logappend';
  readonly ts: number;
  /** Alternating keys and values. */
  readonly headers?: readonly string[];
  readonly key: string | null;
  readonly payload: string | null;
}

/** Reads to the end of every partition, or of the given one, as a consumer without a group. */
export async function kcatRead(
  broker: string,
  topic: string,
  options: readonly string[] = ['-o', 'beginning'],
): Promise<readonly KcatRecord[]> {
  const out = await kcat(broker, ['-C', '-t', topic, '-J', '-e', '-q', ...options]);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as KcatRecord);
}

/** Metadata as `kcat -L -J` prints it. */
interface KcatMetadata {
  readonly brokers: readonly { readonly id: number; readonly name: string }[];
  readonly topics: readonly {
    readonly topic: string;
    readonly error?: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly leader: number;
      readonly replicas: readonly { readonly id: number }[];
      readonly isrs: readonly { readonly id: number }[];
    }[];
  }[];
}

export async function kcatMetadata(broker: string, options: readonly string[] = []): Promise<KcatMetadata> {
  return JSON.parse(await kcat(broker, ['-L', '-J', ...options])) as KcatMetadata;
}
