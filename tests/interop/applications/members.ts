import assert from 'node:assert/strict';
import { systemClock } from '@weir/core';
import type { Applications } from './application.ts';

/** What a member of `Member.java` says of itself. */
export interface MemberState {
  readonly assigned: readonly string[];
  readonly read: readonly (readonly [topic: string, partition: number, offset: number, value: string])[];
  /** What was taken away from it, each time. */
  readonly revoked: readonly (readonly string[])[];
  readonly lost: readonly (readonly string[])[];
  /** How often it was told an assignment. */
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

/** A consumer of Apache's, in the classic protocol unless its settings say otherwise. */
export class Member {
  readonly name: string;
  readonly #java: Applications;

  private constructor(java: Applications, name: string) {
    this.#java = java;
    this.name = name;
  }

  static async join(java: Applications, name: string, asked: MemberToJoin): Promise<Member> {
    const { group, topic, servers, commit = 'sync', settings } = asked;
    await java.ask('join', {
      member: name,
      topic,
      commit,
      settings: {
        'bootstrap.servers': servers,
        'group.id': group,
        'group.protocol': 'classic',
        // Rebalances are as quick as members notice them. In the new protocol it is the server that says so.
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

/** Waits until the members share so many partitions evenly, each of them in one place. */
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

/** Waits until the members have read so many records together. */
export async function untilRead(members: readonly Member[], count: number): Promise<void> {
  for (;;) {
    const states = await Promise.all(members.map((member) => member.state()));
    for (const { failure } of states) assert.equal(failure, null);
    if (states.reduce((sum, { read }) => sum + read.length, 0) >= count) return;
    await pause();
  }
}
