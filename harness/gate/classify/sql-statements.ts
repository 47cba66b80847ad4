/**
 * Statements whose kind alone decides, and functions that do more than compute. One line each; to add one, add its line
 * and a row in the tests.
 */
import type { BlastRadius, Reversibility } from './matrix.js';

export interface Described {
  readonly reading: readonly [Reversibility, BlastRadius];
  readonly why: string;
  readonly tripwires?: readonly string[];
}

const SESSION: Described = { reading: ['read-only', 'none'], why: 'concerns the session only' };
const ADDS: Described = { reading: ['trivial', 'bounded'], why: 'adds an object to the schema' };
const RIGHTS: Described = { reading: ['hard', 'critical'], why: 'changes who may do what' };
const SERVER: Described = { reading: ['hard', 'critical'], why: 'changes the server' };

/** By the name that PostgreSQL's parser gives a statement. */
export const STATEMENTS: Readonly<Record<string, Described>> = {
  TransactionStmt: SESSION,
  VariableShowStmt: SESSION,
  VariableSetStmt: SESSION,
  DeallocateStmt: SESSION,
  DiscardStmt: SESSION,
  DeclareCursorStmt: SESSION,
  FetchStmt: SESSION,
  ClosePortalStmt: SESSION,
  ListenStmt: SESSION,
  UnlistenStmt: SESSION,
  LockStmt: { reading: ['trivial', 'bounded'], why: 'locks a table while the transaction lasts' },
  NotifyStmt: { reading: ['trivial', 'bounded'], why: 'tells listeners' },
  VacuumStmt: { reading: ['trivial', 'bounded'], why: 'tidies a table' },
  ReindexStmt: { reading: ['trivial', 'bounded'], why: 'builds indexes anew' },
  CheckPointStmt: { reading: ['trivial', 'bounded'], why: 'writes out what is in memory' },
  IndexStmt: ADDS,
  ViewStmt: ADDS,
  CreateSchemaStmt: ADDS,
  CreateSeqStmt: ADDS,
  CreateEnumStmt: ADDS,
  CompositeTypeStmt: ADDS,
  CreateDomainStmt: ADDS,
  CommentStmt: ADDS,
  CreatedbStmt: ADDS,
  CreateFunctionStmt: { reading: ['hard', 'wide'], why: 'puts code into the database' },
  CreateTrigStmt: { reading: ['hard', 'wide'], why: 'makes code run on changes' },
  CreateExtensionStmt: { reading: ['hard', 'wide'], why: 'loads code into the database' },
  RenameStmt: { reading: ['hard', 'wide'], why: 'renames what others may use' },
  AlterObjectSchemaStmt: { reading: ['hard', 'wide'], why: 'moves what others may use' },
  AlterSeqStmt: { reading: ['hard', 'bounded'], why: 'changes a sequence' },
  AlterEnumStmt: { reading: ['hard', 'bounded'], why: 'changes a type' },
  RefreshMatViewStmt: { reading: ['trivial', 'bounded'], why: 'computes a view anew' },
  CallStmt: { reading: ['irreversible', 'wide'], why: 'runs a procedure, which may do anything' },
  ExecuteStmt: { reading: ['irreversible', 'wide'], why: 'runs a statement prepared before' },
  DropdbStmt: {
    reading: ['irreversible', 'critical'],
    why: 'drops a database',
    tripwires: ['db.schema-destruction'],
  },
  DropOwnedStmt: {
    reading: ['irreversible', 'critical'],
    why: 'drops all that a role owns',
    tripwires: ['db.schema-destruction'],
  },
  DropTableSpaceStmt: {
    reading: ['irreversible', 'critical'],
    why: 'drops a table space',
    tripwires: ['db.schema-destruction'],
  },
  ReassignOwnedStmt: RIGHTS,
  GrantStmt: RIGHTS,
  GrantRoleStmt: RIGHTS,
  CreateRoleStmt: RIGHTS,
  AlterRoleStmt: RIGHTS,
  AlterRoleSetStmt: RIGHTS,
  DropRoleStmt: RIGHTS,
  AlterOwnerStmt: RIGHTS,
  AlterDefaultPrivilegesStmt: RIGHTS,
  CreatePolicyStmt: RIGHTS,
  AlterPolicyStmt: RIGHTS,
  AlterSystemStmt: SERVER,
  AlterDatabaseStmt: SERVER,
  AlterDatabaseSetStmt: SERVER,
  LoadStmt: SERVER,
};

const RUNS: Described = {
  reading: ['irreversible', 'critical'],
  why: 'runs a statement or command given as a text',
};
const READS_SERVER: Described = {
  reading: ['hard', 'critical'],
  why: 'reaches files of the server',
  tripwires: ['fs.outside-sandbox'],
};

/** Functions that change something, by their name. */
export const VOLATILE: Readonly<Record<string, Described>> = {
  dblink_exec: RUNS,
  dblink: RUNS,
  query_to_xml: RUNS,
  pg_read_file: READS_SERVER,
  pg_read_binary_file: READS_SERVER,
  pg_ls_dir: READS_SERVER,
  pg_file_write: READS_SERVER,
  lo_export: READS_SERVER,
  lo_import: READS_SERVER,
  lo_unlink: { reading: ['irreversible', 'bounded'], why: 'deletes a large object' },
  pg_terminate_backend: { reading: ['hard', 'wide'], why: 'ends the session of somebody else' },
  pg_cancel_backend: { reading: ['hard', 'bounded'], why: 'cancels a query of somebody else' },
  pg_reload_conf: { reading: ['hard', 'wide'], why: 'changes the server' },
  pg_drop_replication_slot: { reading: ['irreversible', 'critical'], why: 'drops a replication slot' },
  setval: { reading: ['hard', 'bounded'], why: 'sets a sequence' },
  nextval: { reading: ['trivial', 'local'], why: 'takes a number of a sequence' },
};
