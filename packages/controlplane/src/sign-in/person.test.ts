import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { controlPlaneLimits } from '../limits.ts';
import { personOf, readClaims } from './person.ts';

const mapping = { hasRoleMapping: true, roleClaim: 'groups' };

test('person: the claims of a user', () => {
  // biome-ignore format: a table
  const cases: [what: string, claims: object, expected: object][] = [
    ['everything',          { email: 'a@b.c', email_verified: true, name: 'A', groups: ['x'] }, { email: 'a@b.c', isEmailVerified: true, name: 'A', roleNames: ['x'] }],
    ['verified in words',   { email: ' a@b.c ', email_verified: 'true' },                       { email: 'a@b.c', isEmailVerified: true, name: 'a@b.c', roleNames: undefined }],
    ['not verified',        { email: 'a@b.c', email_verified: 'false' },                        { email: 'a@b.c', isEmailVerified: false, name: 'a@b.c', roleNames: undefined }],
    ['verified by a number', { email: 'a@b.c', email_verified: 1 },                             { email: 'a@b.c', isEmailVerified: false, name: 'a@b.c', roleNames: undefined }],
    ['another name',        { name: '', preferred_username: 'a' },                              { email: undefined, isEmailVerified: false, name: 'a', roleNames: undefined }],
    ['one role',            { groups: 'x' },                                                    { email: undefined, isEmailVerified: false, name: '', roleNames: ['x'] }],
    ['no roles',            { groups: [] },                                                     { email: undefined, isEmailVerified: false, name: '', roleNames: [] }],
    ['roles of all kinds',  { groups: ['x', 1, null, ['y'], { z: 1 }] },                        { email: undefined, isEmailVerified: false, name: '', roleNames: ['x'] }],
    ['no text',             { email: ['a@b.c'], name: 7, groups: { x: true } },                 { email: undefined, isEmailVerified: false, name: '', roleNames: [] }],
  ];
  for (const [what, claims, expected] of cases)
    assert.deepEqual(readClaims(claims as Record<string, unknown>, mapping), expected, what);
  const unmapped = readClaims({ groups: ['x'] }, { ...mapping, hasRoleMapping: false });
  assert.equal(unmapped.roleNames, undefined);
  const many = readClaims({ groups: Array(5000).fill('x') }, mapping);
  assert.equal(many.roleNames!.length, controlPlaneLimits.ssoRoleValuesMax);
  assert.equal(readClaims({}, { hasRoleMapping: true, roleClaim: 'toString' }).roleNames, undefined);
});

test('person: no claims make it fail, and only texts are returned', () => {
  const claims = fc.dictionary(fc.constantFrom('email', 'email_verified', 'name', 'groups'), fc.jsonValue());
  fc.assert(
    fc.property(claims, (claimed) => {
      const { email, name, roleNames = [] } = readClaims(claimed, mapping);
      assert.ok([email ?? '', name, ...roleNames].every((text) => typeof text === 'string'));
    }),
  );
});

test('person: userinfo is read only if the token lacks claims', async () => {
  // biome-ignore format: a table
  const cases: [claims: Record<string, unknown>, hasRoleMapping: boolean, isQueried: boolean][] = [
    [{ email: 'a@b.c' },                false, false],
    [{ email: 'a@b.c' },                true,  true],
    [{ email: 'a@b.c', groups: [] },    true,  false],
    [{ groups: [] },                    true,  true],
    [{},                                false, true],
  ];
  for (const [claims, hasRoleMapping, isQueried] of cases) {
    let queried = false;
    const allClaims = async () => {
      queried = true;
      return claims;
    };
    const known = { issuer: 'https://id.example', subject: 'a', claims, allClaims };
    await personOf(known, { ...mapping, hasRoleMapping });
    assert.equal(queried, isQueried, JSON.stringify(claims));
  }
});
