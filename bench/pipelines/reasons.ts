import type { PipelineRow } from './rows.ts';

/** Why a bar is missed where it is, and what to try next. */
const reasons: Readonly<Record<PipelineRow['name'], string>> = {
  mapping:
    'Parsing and printing JSON is 60 % of the time, and checking the size of results 5 %. Next: no check of what was ' +
    'taken over from the document as it was.',
  copy:
    'Two fifths of the time are parsing, printing and compressing; the garbage of messages that wait for their ' +
    'acknowledgement is a fifth, and a young generation of 96 MiB instead of 32 changed nothing in three runs of each. ' +
    'Next: messages of a batch whose bytes are one buffer until they are acknowledged, so that fewer objects wait.',
  'idle-cpu':
    'An idle instance sends a heartbeat every 3 s, a fetch and a beat every 5 s, in code that V8 has not compiled. ' +
    'Next: one connection for fetches and heartbeats, and one timer for all instances of a process.',
  'idle-memory':
    'A thread of Node alone takes 6 to 10 MiB, and the modules of the engine as much, because threads share no code. ' +
    'Next: patterns (re2js) and methods of mappings that are loaded when a mapping uses them.',
};

export function reasonOf({ name }: PipelineRow): string {
  return reasons[name];
}
