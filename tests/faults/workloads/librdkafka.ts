import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pythonOf } from '../../interop/python/venv.ts';
import { atExit } from '../cluster/at-exit.ts';
import { partitionCount } from '../cluster/cluster.ts';
import type { Happening } from '../history/recorder.ts';
import { readLast, type Workload, type WorkloadContext } from './workloads.ts';

/** Starts a Python program on librdkafka that reports its work as events, one JSON object per line. */
export async function startLibrdkafka(context: WorkloadContext): Promise<Workload> {
  const { cluster, recorder } = context;
  const topics = { stream: await cluster.topic('stream'), transactions: await cluster.topic('transactions') };
  const child: ChildProcess = spawn(
    pythonOf('confluent-kafka'),
    [
      join(import.meta.dirname, 'librdkafka_clients.py'),
      cluster.kafkaAddresses.join(','),
      topics.stream.topicName,
      topics.transactions.topicName,
      String(partitionCount),
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const cancelAtExit = atExit(() => child.kill('SIGKILL'));
  let rest = '';
  let isDone = false;
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const happening = JSON.parse(line) as Happening | { readonly type: 'done' };
      if (happening.type === 'done') isDone = true;
      else recorder.note(happening);
    }
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => cluster.note(`librdkafka: ${text.trim()}`));
  child.once('exit', (code) => {
    cancelAtExit();
    if (!isDone) cluster.problem(new Error(`the librdkafka clients ended with ${code}`));
  });
  return {
    async finish(withinMs) {
      child.stdin!.end();
      await cluster.until(() => isDone, withinMs, 'the librdkafka clients are done');
      await readLast(context, topics.stream, withinMs);
      await readLast(context, topics.transactions, withinMs);
    },
    stop: () => child.kill('SIGKILL'),
  };
}
