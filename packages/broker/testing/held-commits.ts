import { type FileCommit, filesToSend } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { batchOf, type DataPathOptions, produced } from './data-path.ts';
import { append, commitsThrough, startWritePath } from './write-path-stage.ts';

/** A control plane that answers when the test says so, and that can be disconnected. */
function heldCommits() {
  const commits: FileCommit[][] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const unsent: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let isHeld = false;
  let isConnected = true;
  return {
    commits,
    hold() {
      isHeld = true;
    },
    /** Calls wait and are not sent. */
    disconnect() {
      isConnected = false;
    },
    async connect() {
      isConnected = true;
      for (const { resolve } of unsent.splice(0)) resolve();
      await settle();
    },
    async failUnsent(error: Error) {
      for (const { reject } of unsent.splice(0)) reject(error);
      await settle();
    },
    /** Calls that were sent fail with an unknown outcome. */
    async loseAnswers(error: Error) {
      for (const go of waiting.splice(0)) go(error);
      await settle();
    },
    async release() {
      isHeld = false;
      for (const go of waiting.splice(0)) go();
      await settle();
    },
    port: commitsThrough(async (wanted, cluster) => {
      if (!isConnected) await new Promise<void>((resolve, reject) => unsent.push({ resolve, reject }));
      const files = filesToSend(wanted);
      if (files.length === 0) return [];
      commits.push([...files]);
      if (isHeld) {
        await new Promise<void>((resolve, reject) =>
          waiting.push((error) => (error === undefined ? resolve() : reject(error))),
        );
      }
      return cluster.commitFiles(files);
    }),
  };
}

/** A batch with one record; with a sequence, of an idempotent producer. */
export const one = (topicId: string, value: string, sequence?: number, partition = 0) =>
  produced(
    topicId,
    partition,
    batchOf([value]),
    sequence === undefined ? {} : { producerId: 7, baseSequence: sequence },
  );

/** A write path over such a control plane. */
export async function startHeld(options: DataPathOptions = {}) {
  const held = heldCommits();
  return { held, path: await startWritePath({ ...options, port: held.port }) };
}

/** A write path whose first commit was sent and is not answered. */
export async function startStuck(options: DataPathOptions = {}, timeoutMs?: number) {
  const { held, path } = await startHeld(options);
  held.hold();
  const stuck = append(path, [one(path.topicId, 'stuck')], timeoutMs);
  await settle();
  return { held, path, stuck };
}

/** A write path that is not connected to its control plane. */
export async function startDisconnected(options: DataPathOptions = {}) {
  const started = await startHeld(options);
  started.held.disconnect();
  return started;
}
