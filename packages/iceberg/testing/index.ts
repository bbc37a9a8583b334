export { RestServer } from './rest-server.ts';
