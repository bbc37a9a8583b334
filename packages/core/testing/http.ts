/**
 * Options of an HTTP server that a test calls with `fetch`. By default Node closes an idle connection after five
 * seconds, and a call at that moment fails; a machine under load can pause a test for that long.
 */
export const patientHttpServer = { keepAliveTimeout: 600_000 };
