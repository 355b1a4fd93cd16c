/**
 * kill -9 in the middle of each change of personal access tokens: what was acknowledged holds, and no token is half there.
 * Long: it kills and starts the platform three times.
 */
import { expect } from "chai";
import type { PersonalToken } from "#shared/contracts/pat/tokens.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

type Shown = PersonalToken & { token: string };

describe("kill -9 in the middle of a change of tokens", function () {
	this.timeout(180_000);

	it("loses no revocation and no token that was acknowledged", async () => {
		await using platform = await startPlatform();
		const desk = new ApiClient(`${platform.url}/api/v1/users`);
		const issue = async (name: string): Promise<Shown> => (await desk.post<Shown>("/tokens", { name })).body;
		const status = async ({ token }: Shown): Promise<number> =>
			(await platform.client({ authorization: `Bearer ${token}` }).get("/prompts")).status;
		const [kept, revoked, dying] = [await issue("kept"), await issue("revoked"), await issue("dying")];
		expect((await desk.delete(`/tokens/${revoked.id}`)).status).to.equal(204);
		await platform.kill();

		const killedIn = async (failpoint: string, request: () => Promise<unknown>): Promise<void> => {
			platform.processes = [platform.startProcess([], { ATELIER_FAILPOINTS: `${failpoint}=kill` })];
			await platform.ready();
			expect([await status(kept), await status(revoked)], `before ${failpoint}`).to.deep.equal([200, 401]);
			expect(await request().catch(() => "no answer")).to.equal("no answer");
			await platform.processes[0]?.ended();
		};
		await killedIn("tokens.issued", () => issue("never stored"));
		await killedIn("tokens.written", () => desk.delete(`/tokens/${dying.id}`));

		await platform.start();
		expect([await status(kept), await status(revoked), await status(dying)]).to.deep.equal([200, 401, 401]);
		const { body } = await desk.get<PersonalToken[]>("/tokens");
		expect(body.map(({ name }) => name)).to.deep.equal(["kept"]);
		expect((await issue("never stored")).token, "its name is free").to.be.a("string");
	});
});
