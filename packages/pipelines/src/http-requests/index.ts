export { authFields, signingFields } from './auth-fields.ts';
export type { PartTemplate } from './build-request.ts';
export { ClientToken } from './client-token.ts';
export { type BodyOptions, HttpClient, type StreamedAnswer, UnexpectedStatus } from './http-client.ts';
export { HttpFetch } from './http-fetch.ts';
export { type HttpValues, httpFields, transportField } from './http-fields.ts';
export { signerOf } from './sign-request.ts';
