import { expect } from "chai";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { newSession } from "#services/sessions/commands/session-draft.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { randomUUID } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { ConflictError, UnprocessableError } from "#shared/base/errors.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { launchSettings } from "../../../support/pods/memory-pods.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { alice, root } from "../../../support/bus/test-brokers.ts";
import { completed } from "../../../support/completed.ts";
import { sessionCreate, sessionDocument } from "../../../support/platform/session-record.ts";
import { newProfile } from "#services/blueprints/profiles/profile-rules.ts";
import { profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

describe("SessionCommands, after the catalogue of models has changed", () => {
	const catalogue = readModelCatalogue("config/models.yaml");
	const request = sessionCreate();

	it("refuses the start of a session whose model was removed, until it names another one", async () => {
		const opened = await openEmbedded([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
		try {
			const { store } = opened;
			const records = new SessionRecords(store, () => {});
			const id = randomUUID();
			const source = { type: "git", repo: "", branch: "main", base_branch: "" } as const;
			const launch = { ...launchSettings, model: "claude-opus-4-6" };
			await records.insert(newSession({ id, principal: alice, request, source, launch, at: now(), status: "created" }));
			const models = catalogue.models.filter((model) => model.id !== launch.model);
			const commands = commandsOver(records, store, { ...catalogue, models });
			const start = () => commands.run({ principal: alice }, "start", id);

			const refused = await failureOf<Error>(start());
			expect(refused).to.be.instanceOf(UnprocessableError);
			expect(refused.message).to.match(/^There is no model "claude-opus-4-6"; did you mean /);
			expect((await records.get(alice, id)).session).to.include({ status: "created", rev: 1 });

			expect(await commandsOver(records, store).run({ principal: alice }, "start", id)).to.include({
				status: "starting",
			});
			expect(await failureOf(start()), "what its status forbids is told first").to.be.instanceOf(ConflictError);
		} finally {
			await opened.discard();
		}
	});
});

describe("SessionCommands, of an administrator in the session of somebody else", () => {
	it("end and restore it, but never start it: its programs would run with the owner's rights", async () => {
		const opened = await openEmbedded([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
		try {
			const records = new SessionRecords(opened.store, () => {});
			const { due_at: _due, ...session } = sessionDocument({ principal: alice, status: "created" });
			await records.insert(session);
			const commands = commandsOver(records, opened.store);
			const profile = newProfile(completed(profileCreate, { name: "mine", env_vars: { BY: "root" } }));
			for (const options of [{}, { profile }]) {
				const refused = await failureOf(commands.run({ principal: root }, "start", session.id, options));
				expect(refused).to.include({ code: 403, type: "OWNER_ONLY" });
			}
			expect((await records.get(alice, session.id)).session).to.include({ status: "created", rev: 1 });
			for (const [command, status] of [
				["archive", "archived"],
				["restore", "stopped"],
				["delete", "stopped"],
			] as const)
				expect(await commands.run({ principal: root }, command, session.id)).to.include({ status });
		} finally {
			await opened.discard();
		}
	});
});
