import { spawn } from 'node:child_process';
import { systemClock } from '@weir/core';
import { buildRecordBatch } from '@weir/wire';
import { TestClient } from '../../../../packages/broker/testing/test-client.ts';

interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where it serves Kafka. */
  readonly port: number;
}

const withinMs = 120_000;
const pollMs = 2;

/**
 * Starts a command that serves Kafka, and returns how long it took from there until a record was acknowledged in a
 * topic that did not exist. The command is stopped with all that it started.
 */
export async function msToFirstRecord({ command, args, cwd, env, port }: Started): Promise<number> {
  const startMs = systemClock.monotonicMs();
  const child = spawn(command, args, { cwd, env, stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    for (;;) {
      if (systemClock.monotonicMs() - startMs > withinMs || child.exitCode !== null)
        throw new Error(`${command} ${args.join(' ')}: no record was acknowledged`);
      if (await isAcknowledged(port)) return systemClock.monotonicMs() - startMs;
      await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
    }
  } finally {
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
  }
}

async function isAcknowledged(port: number): Promise<boolean> {
  let client: TestClient;
  try {
    client = await TestClient.connect(port);
  } catch {
    return false;
  }
  try {
    await client.call('Metadata', 9, { topics: [{ name: 'first' }], allowAutoTopicCreation: true });
    const timestamp = BigInt(systemClock.nowMs());
    const records = buildRecordBatch([{ timestamp, key: null, value: Buffer.from('one') }]);
    const { responses } = await client.call('Produce', 9, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 5_000,
      topicData: [{ name: 'first', partitionData: [{ index: 0, records }] }],
    });
    return responses[0]!.partitionResponses[0]!.errorCode === 0;
  } catch {
    return false;
  } finally {
    client.socket.destroy();
  }
}
