export { type Permit, ScriptedAccess } from './scripted-access.ts';
export { type CertificateOptions, TestCa } from './test-ca.ts';
