/** The page `/`: a browser is redirected to the page of the API, and every other client gets the address of the API. */
import type { Answer } from "../http/answer.ts";
import { page, type PageRoute } from "./pages.ts";

const apiPage: Answer = { status: 302, headers: ["Location", "/docs", "Vary", "Accept"] };

/** Returns the page. @param prefix The path of the API, e.g. `/api/v1/svc`. */
export function rootPage(prefix: string): PageRoute {
	const body = JSON.stringify({ name: "Atelier", api: prefix, openapi: "/openapi.json", docs: "/docs" });
	const directory: Answer = { status: 200, body, headers: ["Vary", "Accept"] };
	return page("//", async ({ accept = "" }) => (accept.includes("text/html") ? apiPage : directory));
}
