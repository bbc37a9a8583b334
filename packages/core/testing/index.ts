export { youngFileId } from './file-id.ts';
export { HandClock } from './hand-clock.ts';
export { patientHttpServer } from './http.ts';
export { settle } from './settle.ts';
