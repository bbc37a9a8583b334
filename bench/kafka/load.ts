import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
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

/** The client process: it answers one line for each. */
interface ClientProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  errors: string;
  waiting: PromiseWithResolvers<string> | undefined;
  /** Why it is gone. */
  ended: Error | undefined;
}

function startClient(lifetime: Lifetime, classPath: string): ClientProcess {
  const { PATH, HOME } = systemEnvironment;
  const flags = ['-Xms2g', '-Xmx2g', '-Duser.language=en', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
  const child = spawn('java', [...flags, '-cp', classPath, 'weir.bench.Load'], {
    env: { PATH, HOME },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  lifetime.owns(child);
  const client: ClientProcess = { child, errors: '', waiting: undefined, ended: undefined };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    client.errors = (client.errors + text).slice(-errorCharsMax);
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => client.waiting?.resolve(line));
  const end = (how: string) => {
    client.ended ??= new Error(`the client ended with ${how}:\n${client.errors}`);
    client.waiting?.reject(client.ended);
  };
  child.once('error', (error) => end(error.message));
  child.once('close', (code, signal) => end(String(signal ?? code)));
  return client;
}

/** A client that has ended, as one that took too long, starts again for the next command. */
export function openLoad(lifetime: Lifetime, classPath: string, clock: Clock = systemClock): ApacheLoad {
  let client = startClient(lifetime, classPath);

  async function request<Answer>(
    command: string,
    values: Readonly<Record<string, string | number>>,
    settings: ClientSettings = {},
  ): Promise<Answer> {
    if (client.waiting !== undefined) throw new Error('the client does one thing at a time');
    if (client.ended !== undefined) client = startClient(lifetime, classPath);
    const { child } = client;
    const waiting = Promise.withResolvers<string>();
    client.waiting = waiting;
    const words = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    words.push(...Object.entries(settings).map(([name, value]) => `client.${name}=${value}`));
    child.stdin.write(`${[command, ...words].join(' ')}\n`);
    const cancel = clock.after(commandMsMax, () => child.kill('SIGKILL'));
    try {
      const line = await waiting.promise;
      if (!line.startsWith('OK ')) throw new Error(`${command}: ${line}\n${client.errors}`);
      return JSON.parse(line.slice('OK '.length)) as Answer;
    } finally {
      cancel();
      client.waiting = undefined;
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
