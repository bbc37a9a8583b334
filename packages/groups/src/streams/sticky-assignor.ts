import { LoadHeap } from '../assignors/load-heap.ts';
import type { TopicPartitions } from '../assignors/partitions.ts';

/** Tasks by subtopology: partition numbers, as of topics. */
export type Tasks = TopicPartitions;

export interface TasksByKind {
  readonly active: Tasks;
  readonly standby: Tasks;
}

interface StreamsAssignorMember {
  readonly memberId: string;
  /** Members of one process share its disk, so a process needs each task once. */
  readonly processId: string;
  readonly rackId: string | null;
  readonly before: TasksByKind;
}

export interface TasksOfTopology {
  readonly subtopologyId: string;
  readonly taskCount: number;
  /** Has changelogs, so that standbys are of use. */
  readonly isStateful: boolean;
}

/** How many processes a standby tries for one in another rack than the copies that there are. */
const racksTriedMax = 16;

/**
 * Assigns every task to one member as active, and to as many other processes as wanted as standby. Members get equal
 * numbers of active tasks, give or take one. A task stays where it was, else moves to where it was a standby, else to
 * a member with the fewest tasks, of the process with the fewest for its members. Standbys prefer racks that have no
 * copy of the task yet: then the loss of a zone leaves one.
 */
export function assignStickily(
  members: readonly StreamsAssignorMember[],
  topology: readonly TasksOfTopology[],
  standbyCount: number,
): Map<string, TasksByKind> {
  const round = new Round(members);
  round.assignActive(topology);
  if (standbyCount > 0) round.assignStandbys(topology, standbyCount);
  return round.result();
}

class Process {
  readonly members: Worker[] = [];
  readonly order: number;
  readonly racks = new Set<string>();
  taskCount = 0;
  #leastLoaded: Worker | undefined;

  constructor(order: number) {
    this.order = order;
  }

  get load(): number {
    return this.taskCount / this.members.length;
  }

  get leastLoaded(): Worker {
    this.#leastLoaded ??= this.members.reduce((least, member) =>
      member.taskCount < least.taskCount ? member : least,
    );
    return this.#leastLoaded;
  }

  taskGiven(): void {
    this.taskCount++;
    this.#leastLoaded = undefined;
  }
}

class Worker {
  readonly memberId: string;
  readonly process: Process;
  readonly active = new Map<string, number[]>();
  readonly standby = new Map<string, number[]>();
  activeCount = 0;
  taskCount = 0;

  constructor(memberId: string, process: Process) {
    this.memberId = memberId;
    this.process = process;
  }
}

interface Task {
  readonly subtopologyId: string;
  readonly partition: number;
  /** Its place among all tasks: those of a subtopology are neighbours, and so go to different members. */
  readonly order: number;
  /** The processes that have it. */
  readonly holders: Process[];
  activeBefore: Worker | undefined;
  readonly standbysBefore: Worker[];
}

class Round {
  readonly #workers: Worker[] = [];
  readonly #processes = new Map<string, Process>();
  readonly #tasks = new Map<string, Task[]>();
  readonly #before: readonly (readonly [Worker, TasksByKind])[];

  constructor(members: readonly StreamsAssignorMember[]) {
    this.#before = members.map(({ memberId, processId, rackId, before }) => {
      let process = this.#processes.get(processId);
      if (process === undefined) {
        process = new Process(this.#processes.size);
        this.#processes.set(processId, process);
      }
      if (rackId !== null) process.racks.add(rackId);
      const worker = new Worker(memberId, process);
      process.members.push(worker);
      this.#workers.push(worker);
      return [worker, before] as const;
    });
  }

  assignActive(topology: readonly TasksOfTopology[]): void {
    this.#readTasks(topology);
    const tasks = [...this.#tasks.values()].flat();
    const quota = new Quota(tasks.length, this.#workers.length);
    // A member that gives up tasks keeps some of each subtopology, because their work differs.
    const moving: Task[] = [];
    for (const task of tasks.toSorted((a, b) => a.partition - b.partition)) {
      const { activeBefore } = task;
      if (activeBefore !== undefined && quota.takes(activeBefore)) giveActive(task, activeBefore);
      else moving.push(task);
    }
    const left: Task[] = [];
    for (const task of moving) {
      const best = leastLoaded(task.standbysBefore);
      if (best !== undefined && quota.takes(best)) giveActive(task, best);
      else left.push(task);
    }
    const byNeed = new LoadHeap([...this.#processes.values()], compareNeed);
    left.sort((a, b) => a.order - b.order);
    for (const task of left) byNeed.changeFirst((process) => giveActive(task, process.leastLoaded));
  }

  assignStandbys(topology: readonly TasksOfTopology[], standbyCount: number): void {
    const stateful = topology.filter(({ isStateful }) => isStateful);
    const tasks = stateful.flatMap(({ subtopologyId }) => this.#tasks.get(subtopologyId)!);
    const copies = Math.min(standbyCount, this.#processes.size - 1);
    const activeCount = this.#workers.reduce((sum, worker) => sum + worker.activeCount, 0);
    const fairCount = Math.ceil((activeCount + tasks.length * copies) / this.#workers.length);
    const missing: Task[] = [];
    for (const task of tasks) {
      let count = 0;
      for (const worker of [...(task.activeBefore ? [task.activeBefore] : []), ...task.standbysBefore]) {
        const { process } = worker;
        const isFull = process.taskCount >= fairCount * process.members.length;
        if (count === copies || isFull || task.holders.includes(process)) continue;
        giveStandby(task, worker);
        count++;
      }
      for (; count < copies; count++) missing.push(task);
    }
    const byLoad = [...this.#processes.values()].sort(compareLoad);
    for (const task of missing) {
      const place = placeOfStandby(task, byLoad);
      if (place === undefined) continue;
      giveStandby(task, byLoad[place]!.leastLoaded);
      moveBack(byLoad, place);
    }
  }

  result(): Map<string, TasksByKind> {
    return new Map(
      this.#workers.map(({ memberId, active, standby }) => [
        memberId,
        { active: ascending(active), standby: ascending(standby) },
      ]),
    );
  }

  #readTasks(topology: readonly TasksOfTopology[]): void {
    let order = 0;
    for (const { subtopologyId, taskCount } of topology) {
      this.#tasks.set(
        subtopologyId,
        Array.from({ length: taskCount }, (_, partition) => ({
          ...{
            subtopologyId,
            partition,
            order: order++,
            holders: [],
            activeBefore: undefined,
            standbysBefore: [],
          },
        })),
      );
    }
    for (const [worker, { active, standby }] of this.#before) {
      for (const task of this.#find(active)) task.activeBefore ??= worker;
      for (const task of this.#find(standby)) task.standbysBefore.push(worker);
    }
  }

  *#find(tasks: Tasks): Generator<Task> {
    for (const [subtopologyId, partitions] of tasks) {
      const known = this.#tasks.get(subtopologyId);
      for (const partition of partitions) {
        const task = known?.[partition];
        if (task !== undefined) yield task;
      }
    }
  }
}

/** How many active tasks members may keep: equal numbers, and one more for as many members as there are tasks left. */
class Quota {
  readonly #count: number;
  #extra: number;

  constructor(taskCount: number, memberCount: number) {
    this.#count = Math.floor(taskCount / memberCount);
    this.#extra = taskCount % memberCount;
  }

  takes({ activeCount }: Worker): boolean {
    if (activeCount < this.#count) return true;
    if (activeCount > this.#count || this.#extra === 0) return false;
    this.#extra--;
    return true;
  }
}

function giveActive(task: Task, worker: Worker): void {
  give(task, worker, worker.active);
  worker.activeCount++;
}

function giveStandby(task: Task, worker: Worker): void {
  give(task, worker, worker.standby);
}

function give(
  { subtopologyId, partition, holders }: Task,
  worker: Worker,
  tasks: Map<string, number[]>,
): void {
  const partitions = tasks.get(subtopologyId);
  if (partitions === undefined) tasks.set(subtopologyId, [partition]);
  else partitions.push(partition);
  holders.push(worker.process);
  worker.taskCount++;
  worker.process.taskGiven();
}

function leastLoaded(workers: readonly Worker[]): Worker | undefined {
  let best: Worker | undefined;
  for (const worker of workers) {
    if (best === undefined || worker.process.load < best.process.load) best = worker;
  }
  return best;
}

function compareLoad(a: Process, b: Process): number {
  return a.load - b.load || b.members.length - a.members.length || a.order - b.order;
}

/** The process whose member has the fewest tasks comes first: a busy process may have a member without any. */
function compareNeed(a: Process, b: Process): number {
  return a.leastLoaded.taskCount - b.leastLoaded.taskCount || compareLoad(a, b);
}

/** The place of the process with the least load that has no copy of the task, if possible in a rack without one. */
function placeOfStandby({ holders }: Task, byLoad: readonly Process[]): number | undefined {
  let first: number | undefined;
  let tried = 0;
  for (const [place, process] of byLoad.entries()) {
    if (holders.includes(process)) continue;
    first ??= place;
    const isSameRack = holders.some(({ racks }) => !racks.isDisjointFrom(process.racks));
    if (!isSameRack) return place;
    if (++tried === racksTriedMax) break;
  }
  return first;
}

/** Keeps the list in order after the load of one process has grown. */
function moveBack(byLoad: Process[], place: number): void {
  const [process] = byLoad.splice(place, 1);
  let low = place;
  let high = byLoad.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareLoad(byLoad[middle]!, process!) < 0) low = middle + 1;
    else high = middle;
  }
  byLoad.splice(low, 0, process!);
}

function ascending(tasks: Map<string, number[]>): Tasks {
  for (const partitions of tasks.values()) partitions.sort((a, b) => a - b);
  return tasks;
}
