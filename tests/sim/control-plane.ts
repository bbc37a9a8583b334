import type { Random } from '@weir/core';
import { ClusterNode } from '@weir/metadata';
import { ReplyMemory, serveConnection } from '@weir/rpc';
import { type MemoryDatabase, MemoryTables } from '../../packages/journal/src/memory-tables.ts';
import { TableHub } from '../../packages/journal/src/table-journal.ts';
import { clusterId, type Deps, type Region } from './deps.ts';
import { Link } from './link.ts';
import { SimProcess } from './sim-process.ts';

/** One control-plane process: the real node over the shared journal, and the real server for agents' calls. */
export class SimControlPlane {
  readonly url: string;
  readonly process: SimProcess;
  readonly node: ClusterNode;
  readonly #world: Deps;
  readonly #memory: ReplyMemory;
  readonly #members: () => readonly string[];
  #links: Link[] = [];

  constructor(
    world: Deps,
    database: MemoryDatabase,
    id: string,
    url: string,
    members: () => readonly string[],
    region: Region,
    /** How long it leaves a free lease to others. */
    leaseGraceMs: number,
  ) {
    this.#world = world;
    this.url = url;
    this.#members = members;
    this.process = new SimProcess(world, region);
    const { clock } = this.process;
    const { log, metrics, random } = world;
    this.#memory = new ReplyMemory(clock);
    this.node = new ClusterNode({
      clusterId,
      journal: this.process.journal(new TableHub(new MemoryTables(database), clock).journal(clusterId)),
      self: { id, url },
      clock,
      log: log.with({ node: id }),
      metrics,
      freshId: () => freshId(random),
      leaseGraceMs: () => leaseGraceMs,
    });
    this.node.start();
  }

  get leads(): boolean {
    return this.process.isAlive && this.node.role === 'leader';
  }

  /** Accepts a connection of an agent. */
  accept(agent: SimProcess): Link {
    const { log, metrics } = this.#world;
    const link = new Link(this.#world, agent, this.process);
    this.#links = this.#links.filter(({ isOver }) => !isOver);
    this.#links.push(link);
    serveConnection(link.serverEnd, {
      clusterId,
      cluster: () => this.node,
      members: this.#members,
      memory: this.#memory,
      clock: this.process.clock,
      log,
      metrics,
    });
    return link;
  }

  /** Kills the process. `isNoticed` says whether its machine survives and closes the process's connections. */
  kill(isNoticed: boolean): void {
    this.process.kill();
    for (const link of this.#links) {
      if (isNoticed) link.cut();
      else link.silence();
    }
  }

  async stop(): Promise<void> {
    await this.node.stop();
    this.kill(true);
  }
}

/** Returns a topic id. */
export function freshId(random: Random): string {
  const id = Buffer.from(Array.from({ length: 16 }, () => random.below(256))).toString('base64url');
  return id.startsWith('-') ? freshId(random) : id;
}
