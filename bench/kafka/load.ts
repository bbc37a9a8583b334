import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Clock, systemClock, systemEnvironment } from '@weir/core';
import type { Lifetime } from './lifetime.ts';

/** Client settings by Apache's names. Settings that are absent have Apache's defaults. */
export type ClientSettings = Readonly<Record<string, string | number>>;

export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

export interface Work {
  readonly records: number;
  /** Bytes of record values, without keys and overhead. */
  readonly bytes: number;
  readonly seconds: number;
}

export interface ProduceWork {
  readonly topics: readonly string[];
  readonly partitions: number;
  readonly producers: number;
  readonly records: number;
  readonly settings: ClientSettings;
  /** Records per second of all producers together; unlimited if absent. */
  readonly rate?: number;
  /** `client` leaves the partition to the client; `turns` uses round-robin per record. */
  readonly spread?: 'client' | 'turns';
  readonly warmUpRecords?: number;
}

export interface FetchWork {
  readonly topic: string;
  readonly partitions: number;
  readonly records: number;
  readonly repeats: number;
}

export interface EndToEndWork {
  readonly topic: string;
  readonly partitions: number;
  readonly records: number;
  readonly rate: number;
  readonly warmUpRecords: number;
  readonly settings: ClientSettings;
}

/** A client that loads a server. */
export interface Load {
  createTopics(servers: string, topics: readonly string[], partitions: number): Promise<void>;
  produce(servers: string, work: ProduceWork): Promise<Work & { readonly latency: Latency }>;
  fetch(servers: string, work: FetchWork): Promise<Work>;
  endToEnd(servers: string, work: EndToEndWork): Promise<Work & { readonly latency: Latency }>;
}

/** Apache's performance tools that the client process can run. */
export type ToolName = 'ProducerPerformance' | 'ConsumerPerformance';

/** Apache's clients in a separate process; `Load.java` documents the commands. */
export interface ApacheLoad extends Load {
  createTopics(
    servers: string,
    topics: readonly string[],
    partitions: number,
    configs?: Readonly<Record<string, string>>,
  ): Promise<void>;
  deleteTopics(servers: string, topics: readonly string[]): Promise<void>;
  /** Runs a tool in the client process, which is warm, and returns its output. */
  runTool(name: ToolName, args: readonly string[]): Promise<string>;
}

/** Value size; records have no key. */
export const recordBytes = 1024;

/** Timeout of a command. */
const commandMsMax = 15 * 60_000;
const errorCharsMax = 16 * 1024;

export function openLoad(lifetime: Lifetime, classPath: string, clock: Clock = systemClock): ApacheLoad {
  const { PATH, HOME } = systemEnvironment;
  const flags = ['-Xms2g', '-Xmx2g', '-Duser.language=en', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
  const java = spawn('java', [...flags, '-cp', classPath, 'weir.bench.Load'], {
    env: { PATH, HOME },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  lifetime.owns(java);
  let errors = '';
  java.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-errorCharsMax);
  });
  java.stdin.on('error', () => {});
  let waiting: PromiseWithResolvers<string> | undefined;
  let ended: Error | undefined;
  createInterface({ input: java.stdout }).on('line', (line) => waiting?.resolve(line));
  const end = (how: string) => {
    ended ??= new Error(`the client ended with ${how}:\n${errors}`);
    waiting?.reject(ended);
  };
  java.once('error', (error) => end(error.message));
  java.once('close', (code, signal) => end(String(signal ?? code)));

  async function request<Answer>(
    command: string,
    values: Readonly<Record<string, string | number>>,
    settings: ClientSettings = {},
  ): Promise<Answer> {
    if (ended !== undefined) throw ended;
    if (waiting !== undefined) throw new Error('the client does one thing at a time');
    waiting = Promise.withResolvers<string>();
    const words = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    words.push(...Object.entries(settings).map(([name, value]) => `client.${name}=${value}`));
    java.stdin.write(`${[command, ...words].join(' ')}\n`);
    const cancel = clock.after(commandMsMax, () => java.kill('SIGKILL'));
    try {
      const line = await waiting.promise;
      if (!line.startsWith('OK ')) throw new Error(`${command}: ${line}\n${errors}`);
      return JSON.parse(line.slice('OK '.length)) as Answer;
    } finally {
      cancel();
      waiting = undefined;
    }
  }

  return {
    async createTopics(servers, topics, partitions, configs = {}) {
      const named = Object.fromEntries(
        Object.entries(configs).map(([name, value]) => [`config.${name}`, value]),
      );
      await request('create', { servers, topics: topics.join(','), partitions, ...named });
    },
    async deleteTopics(servers, topics) {
      await request('delete', { servers, topics: topics.join(',') });
    },
    async runTool(name, args) {
      const { output } = await request<{ output: string }>('tool', { name, args: args.join(',') });
      return output;
    },
    produce(servers, { topics, settings, rate = 0, spread = 'client', warmUpRecords = 0, ...rest }) {
      const values = { servers, topics: topics.join(','), rate, spread, warmUpRecords, bytes: recordBytes };
      return request('produce', { ...values, ...rest }, settings);
    },
    fetch: (servers, { topic, ...rest }) => request('fetch', { servers, topics: topic, ...rest }),
    endToEnd: (servers, { topic, settings, ...rest }) =>
      request('end-to-end', { servers, topics: topic, bytes: recordBytes, ...rest }, settings),
  };
}
