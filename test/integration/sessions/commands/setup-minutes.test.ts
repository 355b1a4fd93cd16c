/** The minutes for clones and setup scripts in stored launches. */
import { expect } from "chai";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { launchSettings } from "../../../support/pods/memory-pods.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";

describe("stored launches", () => {
	it("carry the minutes for clones and setup scripts that the configuration has when the session starts", async () => {
		const opened = await openEmbedded([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
		const { store } = opened;
		try {
			const commands = commandsOver(new SessionRecords(store, () => {}), store);
			const made = await commands.create({ principal: alice }, { request: sessionCreate() });
			const { id } = JSON.parse(textOf(made)) as { id: string };
			const stored = async () => (await store.get(sessionCollection, id))?.launch as LaunchSettings;
			expect(await stored()).to.include({ setup_minutes: 5 });
			const wire = JSON.stringify({ ...JSON.parse(textOf(made)), status: "stopped" });
			const set = { status: "stopped", desired: "stop", launch: { ...launchSettings, setup_minutes: 30 } };
			await store.update(sessionCollection, id, {}, { wire, set });
			await commands.run({ principal: alice }, "start", id);
			expect(await stored()).to.include({ setup_minutes: 5, agent: launchSettings.agent });
		} finally {
			await opened.discard();
		}
	});
});
