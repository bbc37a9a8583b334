export { youngFileId } from './file-id.ts';
export { HandClock } from './hand-clock.ts';
export { patientHttpServer } from './http.ts';
export { type Actor, everyChoice, type Gate, runInterleaved } from './interleavings.ts';
export { integerField, messageField, textField } from './protobuf-fields.ts';
export { settle } from './settle.ts';
export { longestTurnMs, requireShortTurns, TurnWatch, turnMsMax } from './turn-watch.ts';
export { pause, until } from './until.ts';
