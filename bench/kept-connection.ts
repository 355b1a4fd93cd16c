/** One HTTP connection that is kept, and as little as possible in front of it: what is measured is the server. */
import { Agent, request } from "node:http";

export class KeptConnection implements Disposable {
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

	/** Posts JSON; resolves to the milliseconds until all of the answer was there. @throws {Error} for any answer but 200. */
	post(url: string, body: object): Promise<number> {
		const text = JSON.stringify(body);
		const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
		const began = performance.now();
		return new Promise((resolve, reject) => {
			const asked = request(url, { agent: this.#agent, method: "POST", headers }, (response) => {
				response.resume();
				response.once("error", reject);
				response.once("end", () => {
					if (response.statusCode === 200) resolve(performance.now() - began);
					else reject(new Error(`${url} answered ${response.statusCode}`));
				});
			});
			asked.once("error", reject);
			asked.end(text);
		});
	}

	[Symbol.dispose](): void {
		this.#agent.destroy();
	}
}
