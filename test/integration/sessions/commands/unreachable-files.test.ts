/** Sessions that need folders of the machine, with a pod manager whose sessions have none. */
import { expect } from "chai";
import type { PodRuntime } from "#services/pod-manager/pod-runtime.ts";
import { sessionPlaceService } from "#services/pod-manager/session-place.service.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { sessionPlace } from "#shared/contracts/sessions/session-place.ts";
import { describeSessions } from "../../../support/platform/describe-sessions.ts";
import { failureOf } from "../../../support/failure-of.ts";

const local = { source: { type: "git", repo: "file:///srv/engine" } };
const remote = { source: { type: "git", repo: "https://git.example/a/engine" } };

describeSessions("sessions on folders of the machine", (testbed) => {
	/** Answers as the pod manager of such sessions while a test runs. */
	async function placed(place: Pick<PodRuntime, "hasHostFiles">, test: () => Promise<void>): Promise<void> {
		const service = testbed.near.createService(sessionPlaceService(place));
		await testbed.near.waitForServices([sessionPlace.name], 20_000, 10);
		try {
			await test();
		} finally {
			await testbed.near.destroyService(service);
		}
	}

	it("are refused when they are made, with what can be done, where sessions have no such folders", () =>
		placed({ hasHostFiles: false }, async () => {
			const refusal = await failureOf<UnprocessableError>(testbed.ada.create(local));
			expect(refusal).to.be.an.instanceOf(UnprocessableError).and.to.include({ type: "REPOSITORY_REFUSED" });
			expect(refusal.message)
				.to.include('the repository "file:///srv/engine" cannot be cloned')
				.and.to.include("docs/session-containers.md");
			expect(await testbed.ada.create(remote)).to.include({ status: "starting" });
			expect(await testbed.ada.create({})).to.include({ status: "starting" });
		}));

	it("are made where sessions have them, and where nobody can say it", async () => {
		await placed({ hasHostFiles: true }, async () => {
			expect(await testbed.ada.create(local)).to.include({ status: "starting" });
		});
		expect(await testbed.ada.create(local)).to.include({ status: "starting" });
	});
});
