import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pythonOf } from '../../interop/python/venv.ts';
import { atExit } from '../cluster/at-exit.ts';
import { partitionCount } from '../cluster/cluster.ts';
import type { Happening } from '../history/recorder.ts';
import { readLast, untilAt, type Workload, type WorkloadContext } from './workloads.ts';

/** Progress that a program reports beside the events of its clients. */
type Milestone = 'written' | 'done';

function isMilestone(happening: { readonly type: string }): happening is { readonly type: Milestone } {
  return happening.type === 'written' || happening.type === 'done';
}

/** A Python program on librdkafka that reports its work as events, one JSON object per line. */
class LibrdkafkaProgram {
  readonly #context: WorkloadContext;
  readonly #child: ChildProcess;
  readonly #reached = new Set<Milestone>();

  constructor(context: WorkloadContext, file: string, topicNames: readonly string[]) {
    const { cluster, recorder } = context;
    this.#context = context;
    this.#child = spawn(
      pythonOf('confluent-kafka'),
      [
        // Without it, Python would write compiled modules beside the sources.
        '-B',
        join(import.meta.dirname, file),
        cluster.kafkaAddresses.join(','),
        ...topicNames,
        String(partitionCount),
      ],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const cancelAtExit = atExit(() => this.stop());
    let rest = '';
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const happening = JSON.parse(line) as Happening | { readonly type: Milestone };
        if (isMilestone(happening)) this.#reached.add(happening.type);
        else recorder.note(happening);
      }
    });
    this.#child
      .stderr!.setEncoding('utf8')
      .on('data', (text: string) => cluster.note(`librdkafka: ${text.trim()}`));
    this.#child.once('exit', (code) => {
      cancelAtExit();
      if (!this.#reached.has('done')) cluster.problem(new Error(`the librdkafka clients ended with ${code}`));
    });
  }

  /** Lets the producer of the source end. */
  async written(withinMs: number): Promise<void> {
    this.#child.stdin!.write('\n');
    await this.#until('written', withinMs);
  }

  async done(withinMs: number): Promise<void> {
    this.#child.stdin!.end();
    await this.#until('done', withinMs);
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #until(milestone: Milestone, withinMs: number): Promise<void> {
    const what = `the librdkafka clients are ${milestone}`;
    return this.#context.cluster.until(() => this.#reached.has(milestone), withinMs, what);
  }
}

/** Starts an idempotent producer, transactional producers and consumer groups. */
export async function startLibrdkafka(context: WorkloadContext): Promise<Workload> {
  const { cluster } = context;
  const topics = [await cluster.topic('stream'), await cluster.topic('transactions')];
  const program = new LibrdkafkaProgram(
    context,
    'librdkafka_clients.py',
    topics.map(({ topicName }) => topicName),
  );
  return {
    async finish(withinMs) {
      await program.done(withinMs);
      for (const topic of topics) await readLast(context, topic, withinMs);
    },
    stop: () => program.stop(),
  };
}

/** Starts members of a group that copy a topic in transactions, and a reader of the copy. */
export async function startLibrdkafkaCopiers(context: WorkloadContext): Promise<Workload> {
  const { cluster } = context;
  const from = await cluster.topic('stream');
  const to = await cluster.topic('copy');
  const program = new LibrdkafkaProgram(context, 'librdkafka_copiers.py', [from.topicName, to.topicName]);
  return {
    async finish(withinMs) {
      await program.written(withinMs);
      const ends = await readLast(context, from, withinMs);
      await untilAt(context, from, 'rdkafka-copiers', ends, withinMs);
      await program.done(withinMs);
      await readLast(context, to, withinMs);
    },
    stop: () => program.stop(),
  };
}
