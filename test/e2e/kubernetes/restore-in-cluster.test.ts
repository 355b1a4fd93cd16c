/**
 * The commands of docs/kubernetes.md for a backup and its restore, as they stand there, against Atelier in a real cluster by the overlay for trying out.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and the images of the platform minutes.
 */
import { expect } from "chai";
import { dirname, join } from "node:path";
import { ApiClient } from "../../support/clients/api-client.ts";
import { pageSections } from "../../support/documents/page-examples.ts";
import { Shell } from "../../support/documents/shell.ts";
import { eventually } from "../../support/eventually.ts";
import { onOwnMachine, ownMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { TrialCluster } from "../../support/kubernetes/cluster/trial-cluster.ts";
import { testProgram } from "../../support/machine/test-program.ts";
import { ask, runningSession, type SessionView } from "../../support/platform/session-steps.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const { examples = [] } =
	pageSections("docs/kubernetes.md").find(({ heading }) => heading === "Backup and restore") ?? {};
const [backUp = "", end = "", makeJob = "", restore = "", begin = ""] = examples;
const plainJob = "kubectl -n atelier-system create job restore --from=cronjob/restore";

onOwnMachine(import.meta.filename, 1_200_000, () => {
	describe("a backup of Atelier in a cluster", function () {
		this.timeout(600_000);
		// The second test restores what the first one has saved.
		this.bail(true);
		let trial: TrialCluster;
		let api: ApiClient;

		before(async () => {
			trial = await TrialCluster.start();
			api = new ApiClient(`${trial.url}/api/v1/svc`, { authorization: `Bearer ${trial.token}` });
		});
		after(() => trial?.[Symbol.asyncDispose]());

		/** Runs commands in the project's folder; resolves to their output. @throws {Error} with all that they have said. */
		async function shell(commands: string): Promise<string> {
			const home = ownMachine()?.folder ?? "";
			const archive = join(home, "atelier.gz");
			const adapted = commands.replaceAll(/([<>] ?)atelier\.gz/g, `$1${archive}`).replaceAll("/production", "/trial");
			const env = {
				HOME: home,
				KUBECONFIG: trial.cluster.kubeconfig,
				PATH: `${dirname(testProgram("kubectl"))}:${process.env["PATH"]}`,
			};
			await using script = new Shell(`set -e\n${adapted}`, { folder: projectRoot, env, withinMs: 360_000 });
			return await script.result();
		}

		async function promptNames(): Promise<string[]> {
			return (await api.get<{ name: string }[]>("/prompts")).body.map(({ name }) => name);
		}

		it("is taken back by the commands of the page, with the session and its workspace", async () => {
			expect(examples).to.have.length(5);
			const { id } = await runningSession(api);
			await ask(api, id, "$ echo kept > note");
			await shell(backUp);
			expect((await api.post("/prompts", { name: "later", content: "text" })).status).to.equal(201);

			await shell(end);
			await shell(makeJob);
			const output = await shell(restore);
			console.log(output.replaceAll(/^/gm, "      "));
			expect(output).to.include("their checksums agree");
			await shell(begin);
			await trial.forward();

			expect(await promptNames()).to.not.include("later");
			const session = await eventually(
				async () => {
					const { body } = await api.get<SessionView>(`/sessions/${id}`);
					return body.status === "failed" ? body : undefined;
				},
				{ withinMs: 180_000, everyMs: 500, what: "the session has lost its pod" },
			);
			expect(session.status_reason?.code).to.equal("POD_LOST");
			expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
			await eventually(async () => (await api.get<SessionView>(`/sessions/${id}`)).body.status === "running", {
				withinMs: 180_000,
				everyMs: 500,
			});
			expect(await ask(api, id, "$ cat note")).to.include("kept");
		});

		it("is refused beside documents unless the Job has --force, and nothing has changed", async () => {
			expect((await api.post("/prompts", { name: "present", content: "text" })).status).to.equal(201);
			await shell(end);
			await shell(plainJob);
			const said = await shell(restore).catch((error: unknown) => String(error));
			expect(said).to.include("is not empty; with --force");
			await shell(`kubectl -n atelier-system delete job restore\n${begin}`);
			await trial.forward();
			expect(await promptNames()).to.include("present");
		});
	});
});
