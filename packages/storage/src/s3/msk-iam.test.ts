import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mskPayload } from './msk-iam.ts';

const regionSetting = 'source_cluster_credentials.aws_region';

test('signatures for MSK are those of the signer of AWS', () => {
  const credentials = {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  };
  const host = 'b-1.shop.abc123.c2.kafka.eu-west-1.amazonaws.com';
  const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  const fieldsOf = (given: typeof credentials & { sessionToken?: string }) =>
    JSON.parse(mskPayload(host, { credentials: given, region: undefined, regionSetting, nowMs }).toString());
  assert.deepEqual(fieldsOf(credentials), {
    version: '2020_10_22',
    host,
    'user-agent': 'weir',
    action: 'kafka-cluster:Connect',
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': 'AKIDEXAMPLE/20260102/eu-west-1/kafka-cluster/aws4_request',
    'x-amz-date': '20260102T030405Z',
    'x-amz-expires': '900',
    'x-amz-signedheaders': 'host',
    'x-amz-signature': '0cb640734b6c558e11df691628eaf0441e4bf750f02c234c93b13b9752b38274',
  });
  const temporary = fieldsOf({ ...credentials, sessionToken: 'tok/en+1==' });
  assert.equal(temporary['x-amz-security-token'], 'tok/en+1==');
  assert.equal(
    temporary['x-amz-signature'],
    '7ab625298aaaba4bbfd07d5b8c8a836c916d4fddb9dec0f83a3f8375a901a1f2',
  );
});

test('a broker of MSK whose name has no region needs one', () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  assert.throws(
    () => mskPayload('kafka.example', { credentials, region: undefined, regionSetting, nowMs: 0 }),
    {
      message:
        'the region of AWS is not in the name kafka.example; set source_cluster_credentials.aws_region',
    },
  );
});
