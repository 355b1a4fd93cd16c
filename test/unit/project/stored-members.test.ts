/**
 * The JSON texts that a published release has stored have every member that a reader of this release needs: each is given to the
 * schema that readers rely on. A text without a row here is red.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { noTimeline, readState } from "#services/sessions/chronicles/timeline-state.ts";
import type { Schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { auditCheckpoint, auditEntry } from "#shared/contracts/audit.ts";
import { preset } from "#shared/contracts/blueprints/presets.ts";
import { profile } from "#shared/contracts/blueprints/profiles.ts";
import { prompt } from "#shared/contracts/blueprints/prompts.ts";
import { chronicle, timelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import { member, tenant } from "#shared/contracts/identity/tenants.ts";
import { user } from "#shared/contracts/identity/users.ts";
import { personalToken } from "#shared/contracts/pat/tokens.ts";
import { session, sessionSource } from "#shared/contracts/sessions/session-resource.ts";
import { sessionEvent } from "#shared/contracts/sessions/session-events.ts";
import { featurePreference } from "#shared/contracts/settings/features.ts";
import { adminSettings } from "#shared/contracts/settings/settings.ts";
import { logEntry, turn } from "#shared/contracts/sessions/sessions.ts";
import { usageRecord } from "#shared/contracts/sessions/usage.ts";
import { connection } from "#shared/contracts/integrations/integrations.ts";
import { mapping } from "#shared/contracts/tracker/mappings.ts";
import { workspace } from "#shared/contracts/workspaces/workspaces.ts";
import { launchSettingsFields } from "#shared/wire/pod/launch.ts";
import { readReleasedData, remedy, unpackReleasedData } from "../../support/upgrade/released-data.ts";

type Members = Readonly<Record<string, unknown>>;
/** Returns the sentences about what is wrong with a stored text. */
type Judge = (stored: Members) => string[];

function fits(schema: Schema): Judge {
	const check = compileSchema(schema);
	return (stored) => check(structuredClone(stored)).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** The members that a value of this release has, compared with those of the stored one. */
function hasAllOf(known: object): Judge {
	return (stored) => Object.keys(known).filter((name) => !(name in stored));
}

function needs(...names: string[]): Judge {
	return (stored) => names.filter((name) => !(name in stored));
}

/** Texts without members of their own: what is stored stands in the columns. */
const isEmpty: Judge = (stored) => Object.keys(stored).map((name) => `"${name}" has no row`);
/** Numbers by the names of reporters, defaults by name, and payloads of events that clients get as they were sent. */
const free: Judge = () => [];

const judges: Readonly<Record<string, Judge>> = {
	"sessions.wire": fits(session),
	"sessions.launch": fits(launchSettingsFields),
	"sessions.levels": needs("above", "fixed", "below", "model"),
	"chronicles.wire": fits(chronicle),
	"chronicles.launch": fits(launchSettingsFields),
	"timelines.wire": (stored) => hasAllOf(noTimeline)({ ...readState(JSON.stringify(stored)) }),
	"workspaces.wire": fits(workspace),
	"workspaces.source": fits(sessionSource),
	"workspaces.repositories": needs("url", "branch", "base_branch", "path"),
	"prompts.wire": fits(prompt),
	"profiles.wire": fits(profile),
	"presets.wire": fits(preset),
	"personal_access_tokens.wire": fits(personalToken),
	"audit_log.wire": fits(auditEntry),
	"audit_checkpoints.wire": fits(auditCheckpoint),
	"event_log.wire": free,
	"event_log.counters": needs("sessions", "running_sessions"),
	"event_log_name.wire": isEmpty,
	"session_history.wire": isEmpty,
	"session_history.acknowledged": free,
	"session_history.patch": needs("id", "truncated"),
	"session_history_chunks.wire": (stored) => ("role" in stored ? fits(turn) : fits(logEntry))(stored),
	"session_events.wire": fits(sessionEvent),
	"chronicles.acknowledged": free,
	"idempotency_records.wire": fits(session),
	"timeline_chunks.wire": fits(timelineEntry),
	"blueprint_defaults.wire": free,
	"user_secrets.wire": needs("name", "keys", "sealed"),
	"tracker_mappings.wire": fits(mapping),
	"integration_connections.wire": fits(connection),
	"key_prints.wire": isEmpty,
	"usage_ledger.wire": fits(usageRecord),
	"day_accounts.wire": isEmpty,
	"day_accounts.holds": needs("id", "micros", "settled", "until"),
	"budget_limits.wire": needs("limit_micros"),
	"session_counts.wire": isEmpty,
	"admin_settings.wire": fits(adminSettings),
	"users.wire": fits(user),
	"tenants.wire": fits(tenant),
	"memberships.wire": fits(member),
	"tracker_followed.wire": isEmpty,
	"feature_preferences.wire": fits(featurePreference),
};

/** Returns a stored object, or the objects of a stored list. */
function objectsIn(value: unknown): Members[] {
	if (typeof value !== "string" || !/^[[{]/.test(value)) return [];
	const all: unknown[] = [JSON.parse(value)].flat();
	return all.filter((one) => typeof one === "object" && one !== null) as Members[];
}

describe("the JSON texts of stored data", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-members-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	/** Every stored object with the name of its collection and column. */
	function objects(): { name: string; stored: Members }[] {
		unpackReleasedData(readReleasedData(), folder);
		using database = new DatabaseSync(join(folder, "store", "atelier.db"), { readOnly: true });
		const tables = database
			.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%.search%'")
			.all()
			.map(({ name }) => String(name));
		return tables.flatMap((table) =>
			database
				.prepare(`SELECT * FROM "${table}"`)
				.all()
				.flatMap((row) => Object.entries(row))
				.flatMap(([column, value]) => objectsIn(value).map((stored) => ({ name: `${table}.${column}`, stored }))),
		);
	}

	it("of release 0.2.0 have every member that readers of this one need", () => {
		const found = objects();
		expect(found.length).to.be.greaterThan(30);
		const wrong = found.flatMap(({ name, stored }) =>
			(judges[name] ?? (() => ["no row says what its readers need"]))(stored).map((words) => `${name}: ${words}`),
		);
		expect([...new Set(wrong)], remedy).to.deep.equal([]);
		expect(Object.keys(judges).filter((name) => !found.some((one) => one.name === name))).to.deep.equal([]);
	});
});
