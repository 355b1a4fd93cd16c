import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { historyChunkCollection, historyCollection } from "#services/sessions/history/history-collections.ts";
import { SessionHistory } from "#services/sessions/history/session-history.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { SessionAgentClient } from "#services/sessions/pod/session-agent-client.ts";
import { SessionPod } from "#services/sessions/pod/session-pod.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { sessionRecord } from "../../../../support/platform/session-record.ts";
import { openEmbedded } from "../../../../support/stores/open-stores.ts";

describe("SessionPod", () => {
	it("passes on lines of a living pod's log without what a terminal would obey, and within a length (X7)", async () => {
		const message = `\u001b[31mred\u001b[0m\u001b]0;title\u0007\tgood\n${"x".repeat(100_000)}`;
		const lines = [{ timestamp: 1, time: "now\u001b[2J", level: "INFO", logger: "a\u009bb", message }];
		const hostile = createServer((_request, response) =>
			response.end(JSON.stringify({ session_id: "s", total: 1, returned: 1, lines })),
		);
		await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
		const { port } = hostile.address() as AddressInfo;
		const opened = await openEmbedded([historyCollection, historyChunkCollection, idempotencyRecordCollection]);
		const pod = new SessionPod({
			client: new SessionAgentClient(),
			key: new InstallationKey(Buffer.alloc(32, 7)),
			history: new SessionHistory(opened.store),
			idempotency: new IdempotencyRecords(opened.store),
		});
		try {
			const record = sessionRecord({ status: "running", columns: { address: `http://127.0.0.1:${port}` } });
			const [line] = (await pod.logs(record, 10, "INFO")).lines;
			expect(line).to.include({ timestamp: 1, time: "now [2J", level: "INFO", logger: "a b" });
			expect(line?.message)
				.to.match(/^red\tgood\nx+$/)
				.and.have.length.within(8_000, 8_192);
		} finally {
			await pod.close();
			await opened.discard();
			hostile.close();
			hostile.closeAllConnections();
		}
	});
});
