export { type Signing, startTestIssuer, TestIssuer, testAudience } from './test-issuer.ts';
export { startTestProvider, type TestProvider } from './test-provider.ts';
