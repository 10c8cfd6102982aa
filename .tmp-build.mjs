import {build} from "esbuild";
import {existsSync} from "node:fs";
const stub={name:"stub",setup(b){
 b.onResolve({filter:/load-config\.js$/},()=>existsSync("/work/main/src/sandbox/config/load-config.ts")?undefined:{path:"lc",namespace:"stub"});
 b.onResolve({filter:/describe-api\.js$/},()=>existsSync("/work/main/src/contract/openapi/describe-api.ts")?undefined:{path:"da",namespace:"stub"});
 b.onResolve({filter:/state-(dump|restore)\.js$/},(a)=>existsSync("/work/main/src/sandbox/"+a.path.split("/").pop().replace(".js",".ts"))?undefined:{path:"st",namespace:"stub"});
 b.onLoad({filter:/st/,namespace:"stub"},()=>({contents:`export const dumpState=()=>({}); export const restoreState=()=>({});`}));
 b.onLoad({filter:/lc/,namespace:"stub"},()=>({contents:`
 export const findConfigFile=async()=>undefined; export const loadConfig=async()=>({}); export const loadProfileFile=async()=>({});
 export const loadFixtureFiles=async()=>({shared:{customers:[],charges:[],transactions:[],subscriptions:[]},companies:[]}); export const validateFile=async(f)=>({kind:"config",problems:[]});`}));
 b.onLoad({filter:/da/,namespace:"stub"},()=>({contents:`export const describeApi=()=>({}); export const renderOpenApiYaml=()=>"openapi: 3.1.0\\n"`}));
}};
await build({entryPoints:{cli:"src/cli/main.ts"},outdir:"node_modules/.cache/cli-try",bundle:true,splitting:true,platform:"node",format:"esm",target:"node20.19",external:["@faker-js/faker"],jsx:"automatic",jsxImportSource:"hono/jsx",plugins:[stub],chunkNames:"chunks/[name]-[hash]",logLevel:"warning",banner:{js:'import { createRequire as __c } from "node:module"; const require = __c(import.meta.url);'}});
