export { HandClock } from './hand-clock.ts';
export { settle } from './settle.ts';
