export { type Signing, startTestIssuer, TestIssuer, testAudience } from './test-issuer.ts';
