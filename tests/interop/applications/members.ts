import assert from 'node:assert/strict';
import { systemClock } from '@weir/core';
import type { Applications } from './application.ts';

/** State that `Member.java` reports. */
export interface MemberState {
  readonly assigned: readonly string[];
  readonly read: readonly (readonly [topic: string, partition: number, offset: number, value: string])[];
  /** Revoked partitions, per revocation. */
  readonly revoked: readonly (readonly string[])[];
  readonly lost: readonly (readonly string[])[];
  /** Number of assignments received. */
  readonly assignments: number;
  readonly commitsAnswered: number;
  readonly failure: string | null;
}

export interface MemberToJoin {
  readonly group: string;
  readonly topic: string;
  readonly servers: string;
  readonly commit?: 'sync' | 'async' | 'auto';
  readonly settings?: Readonly<Record<string, string>>;
}

export const pause = (ms = 100) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

/** An Apache consumer, with the classic protocol by default. */
export class Member {
  readonly name: string;
  readonly #java: Applications;

  private constructor(java: Applications, name: string) {
    this.#java = java;
    this.name = name;
  }

  static async join(java: Applications, name: string, options: MemberToJoin): Promise<Member> {
    const { group, topic, servers, commit = 'sync', settings } = options;
    await java.ask('join', {
      member: name,
      topic,
      commit,
      settings: {
        'bootstrap.servers': servers,
        'group.id': group,
        'group.protocol': 'classic',
        // A short heartbeat interval makes rebalances fast. In the KIP-848 protocol the server sets the interval.
        ...(settings?.['group.protocol'] === 'consumer' ? {} : { 'heartbeat.interval.ms': '300' }),
        ...settings,
      },
    });
    return new Member(java, name);
  }

  state(): Promise<MemberState> {
    return this.#java.ask('member', { member: this.name });
  }

  async seek(topic: string, partition: number, offset: number): Promise<void> {
    await this.#java.ask('seek', { member: this.name, topic, partition, offset });
  }

  stop(): Promise<MemberState> {
    return this.#java.ask('stop', { member: this.name });
  }
}

/** Waits until the members share the partitions evenly, each partition with one member. */
export async function untilShared(members: readonly Member[], partitionCount: number): Promise<void> {
  const least = Math.floor(partitionCount / members.length);
  const most = Math.ceil(partitionCount / members.length);
  for (;;) {
    const states = await Promise.all(members.map((member) => member.state()));
    for (const { failure } of states) assert.equal(failure, null);
    const all = states.flatMap(({ assigned }) => assigned);
    const isEven = states.every(({ assigned }) => assigned.length >= least && assigned.length <= most);
    if (isEven && all.length === partitionCount && new Set(all).size === partitionCount) return;
    await pause();
  }
}

/** Waits until the members together have read the given number of records. */
export async function untilRead(members: readonly Member[], count: number): Promise<void> {
  for (;;) {
    const states = await Promise.all(members.map((member) => member.state()));
    for (const { failure } of states) assert.equal(failure, null);
    if (states.reduce((sum, { read }) => sum + read.length, 0) >= count) return;
    await pause();
  }
}
