import { backOffMs, type Clock, Failure, type Log } from '@weir/core';
import type { ProcessPlace, ReadyPorts } from './messages.ts';

/** How a process ended. */
interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ProcessEvents {
  onReady(ports: ReadyPorts): void;
  onFailed(message: string): void;
  /** The last event. */
  onEnd(end: ProcessEnd): void;
}

interface LaunchedProcess {
  readonly pid: number | undefined;
  /** Asks the process to finish its work and to end. */
  stop(): void;
  /** Kills the process. */
  kill(): void;
}

export type Launch = (place: ProcessPlace, events: ProcessEvents) => LaunchedProcess;

export interface ReadyProcess extends ReadyPorts {
  readonly number: number;
  readonly agentId: string;
  readonly pid: number | undefined;
}

interface SupervisorOptions {
  readonly places: readonly ProcessPlace[];
  readonly launch: Launch;
  /** Called once, when every process has been ready. */
  readonly onReady: (processes: readonly ReadyProcess[]) => void;
  /** A process that has not ended this long after it was asked to is killed. */
  readonly stopDeadlineMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const restartBackOff = { firstMs: 250, maxMs: 30_000 };
/** A process that served for this long was healthy: its next end resets the back-off. */
const healthyMs = 60_000;

/**
 * Keeps one process per place alive.
 *
 * ```
 *             ready
 *  starting ────────► ready
 *     ▲  │              │
 *     │  │ ends         │ ends
 *     │  ▼              ▼
 *     └─── waiting ◄────┘
 * ```
 *
 * A process that ends by itself before it was ever ready cannot start at all: that ends everything, with its message. A
 * process that was ready before, or that was killed by a signal, is restarted. While the supervisor stops, every
 * process is asked to end, and none is restarted.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: Slot[];
  readonly #ended = Promise.withResolvers<void>();
  #failure: Failure | undefined;
  #isStopping = false;
  #wasAnnounced = false;
  #cancelKill: (() => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#slots = options.places.map((place) => ({
      place,
      process: undefined,
      ready: undefined,
      readySinceMs: undefined,
      failedMessage: undefined,
      endsInARow: 0,
      cancelRestart: undefined,
    }));
  }

  /** Starts all processes. Resolves when all have ended after `stop`, and fails when one cannot start at all. */
  run(): Promise<void> {
    for (const slot of this.#slots) this.#launch(slot);
    return this.#ended.promise;
  }

  /** Asks every process to end. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { clock, log, stopDeadlineMs } = this.#options;
    for (const slot of this.#slots) {
      slot.cancelRestart?.();
      slot.process?.stop();
    }
    this.#cancelKill = clock.after(stopDeadlineMs, () => {
      for (const { process, place } of this.#slots) {
        if (process === undefined) continue;
        log.warn('killed agent process that did not stop in time', {
          agentId: place.agentId,
          pid: process.pid,
        });
        process.kill();
      }
    });
    this.#endIfAllEnded();
  }

  #launch(slot: Slot): void {
    slot.failedMessage = undefined;
    slot.process = this.#options.launch(slot.place, {
      onReady: (ports) => this.#onReady(slot, ports),
      onFailed: (message) => {
        slot.failedMessage = message;
      },
      onEnd: (end) => this.#onEnd(slot, end),
    });
  }

  #onReady(slot: Slot, ports: ReadyPorts): void {
    const { clock, log } = this.#options;
    const { place } = slot;
    const { kafkaPort = place.kafkaPort, registryPort = place.registryPort, httpPort } = ports;
    const { tablesPort = place.tablesPort } = ports;
    const { number, agentId } = slot.place;
    const pid = slot.process?.pid;
    if (slot.ready !== undefined) {
      const client =
        ports.tablesPort !== undefined
          ? { tablesPort }
          : ports.registryPort === undefined
            ? { kafkaPort }
            : { registryPort };
      log.info('restarted agent process', { agentId, pid, ...client, httpPort });
    }
    slot.readySinceMs = clock.monotonicMs();
    // Clients know the agent by these ports, so its successor uses them again.
    slot.place = { ...place, kafkaPort, registryPort, tablesPort, httpPort };
    slot.ready = { ...ports, number, agentId, pid };
    const ready = this.#slots.flatMap((one) => one.ready ?? []);
    if (this.#wasAnnounced || ready.length < this.#slots.length) return;
    this.#wasAnnounced = true;
    this.#options.onReady(ready);
  }

  #onEnd(slot: Slot, end: ProcessEnd): void {
    const pid = slot.process?.pid;
    slot.process = undefined;
    if (this.#isStopping) {
      this.#endIfAllEnded();
    } else if (slot.ready === undefined && end.signal === null) {
      const { number } = slot.place;
      const how = end.code === null ? 'failed to start' : `exited with status ${end.code} at startup`;
      this.#failure = new Failure(slot.failedMessage ?? `agent process ${number} ${how}; see its log above`);
      this.stop();
    } else {
      this.#restartLater(slot, end, pid);
    }
  }

  #restartLater(slot: Slot, { code, signal }: ProcessEnd, pid: number | undefined): void {
    const { clock, log } = this.#options;
    const servedMs = slot.readySinceMs === undefined ? 0 : clock.monotonicMs() - slot.readySinceMs;
    slot.endsInARow = servedMs >= healthyMs ? 1 : slot.endsInARow + 1;
    slot.readySinceMs = undefined;
    const delayMs = backOffMs(slot.endsInARow - 1, restartBackOff);
    log.warn('lost agent process, restarting it', {
      agentId: slot.place.agentId,
      pid,
      ...(signal === null ? { status: code } : { signal }),
      ...(slot.failedMessage === undefined ? {} : { reason: slot.failedMessage }),
      endsInARow: slot.endsInARow,
      delayMs,
    });
    slot.cancelRestart = clock.after(delayMs, () => this.#launch(slot));
  }

  #endIfAllEnded(): void {
    if (this.#slots.some(({ process }) => process !== undefined)) return;
    this.#cancelKill?.();
    if (this.#failure === undefined) this.#ended.resolve();
    else this.#ended.reject(this.#failure);
  }
}

interface Slot {
  place: ProcessPlace;
  process: LaunchedProcess | undefined;
  /** The last ready message; `undefined` if there was none. */
  ready: ReadyProcess | undefined;
  readySinceMs: number | undefined;
  failedMessage: string | undefined;
  endsInARow: number;
  cancelRestart: (() => void) | undefined;
}
