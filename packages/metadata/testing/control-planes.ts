import { randomUUID } from 'node:crypto';
import { type Clock, Metrics, type Random, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type Journal, openJournals } from '@weir/journal';
import { ClusterNode, type ClusterNodeOptions } from '../src/leader/cluster-node.ts';
import { SimulatedProcess } from './simulated-process.ts';

export interface ControlPlane {
  readonly process: SimulatedProcess;
  readonly node: ClusterNode;
}

/** The node of a cluster in a process, which reaches its journal through the process and its faults. */
export function nodeIn(
  process: SimulatedProcess,
  journal: Journal,
  id: string,
  options: Partial<ClusterNodeOptions> = {},
): ClusterNode {
  return new ClusterNode({
    clusterId: testClusterId,
    journal: process.journal(journal),
    self: { id, url: `http://${id}` },
    clock: process.clock,
    log: silentLog,
    metrics: new Metrics(),
    ...options,
  });
}

const testClusterId = 'vci_test';

/** Control-plane processes over one journal in memory, on a manual clock. */
export class ControlPlanes {
  readonly clock = new HandClock();
  readonly #random: Random;
  readonly #databaseUrl = `memory://${randomUUID()}`;

  constructor(random: Random = seededRandom(1)) {
    this.#random = random;
  }

  /** The journal as a client of the database sees it. */
  journal(clock: Clock = this.clock): Journal {
    return openJournals(this.#databaseUrl, { clock, log: silentLog }).journal(testClusterId);
  }

  /** A process whose node has not started. */
  create(id: string, options: Partial<ClusterNodeOptions> = {}): ControlPlane {
    const process = new SimulatedProcess(this.clock, this.#random);
    return { process, node: nodeIn(process, this.journal(process.clock), id, options) };
  }

  start(id: string, options: Partial<ClusterNodeOptions> = {}): ControlPlane {
    const started = this.create(id, options);
    started.node.start();
    return started;
  }

  /** A process that leads, if it is the first one. */
  async startLeader(id: string, options: Partial<ClusterNodeOptions> = {}): Promise<ControlPlane> {
    const started = this.start(id, options);
    await this.clock.pass(100);
    return started;
  }
}
