export { type CommitFault, faultyCatalog } from './faulty-catalog.ts';
export { GlueServer } from './glue-server.ts';
export { MemoryCatalog } from './memory-catalog.ts';
export { type Fault, RestServer } from './rest-server.ts';
