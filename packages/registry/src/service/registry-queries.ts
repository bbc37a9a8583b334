/** Query parameters of the API, already parsed. Absent ones have the API's defaults. */

export interface PageQuery {
  /** Default: 0. */
  readonly offset?: number | undefined;
  /** Default: -1, all. */
  readonly limit?: number | undefined;
}

/**
 * Which subjects the caller may use; all if absent. A name may mean other subjects than its own: by an alias, or of
 * the same name in other contexts.
 */
export interface GuardedQuery {
  readonly isAllowed?: ((subject: string) => boolean) | undefined;
}

export interface ListSchemasQuery extends PageQuery, GuardedQuery {
  readonly subjectPrefix?: string | undefined;
  readonly aliases?: boolean | undefined;
  readonly deleted?: boolean | undefined;
  readonly latestOnly?: boolean | undefined;
  readonly ruleType?: string | undefined;
}

export interface SchemaByIdQuery extends GuardedQuery {
  /** Names the context. Without it, the default context is first, then all others. */
  readonly subject?: string | undefined;
  readonly format?: string | undefined;
  readonly referenceFormat?: string | undefined;
  readonly findTags?: readonly string[] | undefined;
  readonly fetchMaxId?: boolean | undefined;
}

export interface UsesOfIdQuery extends PageQuery, GuardedQuery {
  readonly subject?: string | undefined;
  readonly deleted?: boolean | undefined;
}

export interface ListSubjectsQuery extends PageQuery, GuardedQuery {
  /** Default: `:*:`, all contexts. */
  readonly subjectPrefix?: string | undefined;
  readonly deleted?: boolean | undefined;
  readonly deletedOnly?: boolean | undefined;
}

export interface LookUpQuery extends GuardedQuery {
  readonly normalize?: boolean | undefined;
  readonly format?: string | undefined;
  readonly deleted?: boolean | undefined;
}

export interface WithMetadataQuery {
  /** Keys and values of properties, in pairs. */
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly format?: string | undefined;
  readonly deleted?: boolean | undefined;
}

export interface ListVersionsQuery extends PageQuery {
  readonly deleted?: boolean | undefined;
  readonly deletedOnly?: boolean | undefined;
  readonly deletedAsNegative?: boolean | undefined;
}

export interface RegisterQuery extends GuardedQuery {
  readonly normalize?: boolean | undefined;
  readonly format?: string | undefined;
  readonly force?: boolean | undefined;
}

export interface VersionQuery extends GuardedQuery {
  readonly format?: string | undefined;
  readonly referenceFormat?: string | undefined;
  readonly deleted?: boolean | undefined;
  readonly findTags?: readonly string[] | undefined;
}

export interface ReferencedByQuery extends PageQuery, GuardedQuery {
  readonly deleted?: boolean | undefined;
}

export interface DeleteQuery extends GuardedQuery {
  readonly permanent?: boolean | undefined;
}

export interface ListAssociationsQuery extends PageQuery, GuardedQuery {
  readonly resourceType?: string | undefined;
  readonly associationTypes?: readonly string[] | undefined;
  readonly lifecycle?: string | undefined;
}

export interface ChangeAssociationsQuery extends GuardedQuery {
  /** The context of subjects that name none. */
  readonly context?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface MutateAssociationsQuery extends ChangeAssociationsQuery {
  /** Whether the caller may delete a subject; `undefined` for all. */
  readonly isDeletable?: GuardedQuery['isAllowed'];
}

export interface SoughtAssociationsQuery extends GuardedQuery {
  readonly includeSchemas?: boolean | undefined;
}

export interface DeleteAssociationsQuery extends GuardedQuery {
  readonly resourceType?: string | undefined;
  readonly associationTypes?: readonly string[] | undefined;
  readonly cascadeLifecycle?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface CompatibilityQuery {
  readonly verbose?: boolean | undefined;
  readonly normalize?: boolean | undefined;
}

export interface ScopeQuery {
  readonly defaultToGlobal?: boolean | undefined;
}

export interface PutModeQuery {
  readonly force?: boolean | undefined;
}

export interface DeleteModeQuery {
  readonly recursive?: boolean | undefined;
}

export interface ListContextsQuery extends PageQuery {
  readonly contextPrefix?: string | undefined;
}

export interface ListKeksQuery extends PageQuery {
  readonly deleted?: boolean | undefined;
  readonly subjectPrefixes?: readonly string[] | undefined;
}

export interface DekQuery {
  readonly algorithm?: string | undefined;
  readonly deleted?: boolean | undefined;
}

export interface ListDeksQuery extends DekQuery, PageQuery {}

export interface DeleteDekQuery extends DeleteQuery {
  readonly algorithm?: string | undefined;
}
