import type { CallOf } from '@weir/api/client';

type Reset = Omit<CallOf<'preview_offset_reset'>, 'virtual_cluster_id' | 'group'>;

export const targets = [
  ['latest', 'Latest: skip all unread records'],
  ['earliest', 'Earliest: reprocess all records'],
  ['time', 'A time'],
  ['offset', 'An offset, in every partition'],
  ['shift', 'Shift by a number of records'],
  ['group', 'The offsets of another group'],
] as const satisfies readonly (readonly [Reset['to'], string])[];

/** What a person has typed. */
export interface ResetForm {
  readonly to: (typeof targets)[number][0];
  readonly value: string;
  /** All topics if it is empty. */
  readonly topic: string;
}

/** The input of the operation, or what is wrong with the value. */
export function readResetForm({ to, value, topic }: ResetForm): Reset | { readonly problem: string } {
  const topics = topic === '' ? {} : { topics: [topic] };
  const typed = value.trim();
  switch (to) {
    case 'earliest':
    case 'latest':
      return { to, ...topics };
    case 'time': {
      const timeMs = Date.parse(typed);
      if (Number.isNaN(timeMs)) return { problem: 'Choose a date and time.' };
      return { to, time: new Date(timeMs).toISOString(), ...topics };
    }
    case 'offset': {
      if (!/^\d{1,15}$/.test(typed)) return { problem: 'Enter a whole number, 0 or more.' };
      return { to, offset: Number(typed), ...topics };
    }
    case 'shift': {
      if (!/^[+-]?\d{1,15}$/.test(typed)) return { problem: 'Enter a whole number, negative to move back.' };
      return { to, shift_by: Number(typed), ...topics };
    }
    case 'group':
      return typed === '' ? { problem: 'Enter the name of a group.' } : { to, from_group: value, ...topics };
  }
}
